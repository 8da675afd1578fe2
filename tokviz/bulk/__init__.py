"""Many files encoded to arrays of ids, one array a file, on all cores. What was interrupted goes on where it stopped.

    writers    ids -> .npy or Parquet, block by block
    blocks     a file -> blocks -> ids
    manifest   which outputs in a folder are whole, of which inputs, and by which tokenizer
    outputs    what there is already, and how an output gets its name
    running    the files that are left to do, on all cores

An output gets its name when all of it is on the disk, and when the manifest knows it. So whatever ends a run, a file
under its final name is whole, and the next run encodes only what is missing.
"""

from tokviz.bulk.outputs import Source
from tokviz.bulk.running import Progress, Report, Skipped, encode_files
from tokviz.bulk.writers import KINDS, Kind

__all__ = ["KINDS", "Kind", "Progress", "Report", "Skipped", "Source", "encode_files"]
