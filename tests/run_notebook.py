"""`python -m tests.run_notebook FILE` runs a notebook in IPython, and prints what Jupyter would show of each cell.

Jupyter's kernel is this shell with a connection to the browser. Printed is a JSON object: the id of each cell -> the
kind of each form of its result -> that form.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell


def main(path: Path) -> None:
    shell = InteractiveShell.instance(history_manager=None)
    shown: list[dict[str, str]] = []
    shell.displayhook.write_format_data = lambda forms, metadata=None: shown.append(forms)
    shell.displayhook.write_output_prompt = lambda: None
    found = {}
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            shown.clear()
            shell.run_cell("".join(cell["source"]), store_history=False).raise_error()
            found[cell["id"]] = shown[-1] if shown else {}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
