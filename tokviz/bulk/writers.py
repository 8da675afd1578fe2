"""Ids written to a file as they come: as .npy, or as Parquet with a column of ids."""

from __future__ import annotations

import contextlib
import importlib
import io
from typing import Any, BinaryIO, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from tokviz.errors import SettingError

Kind = Literal["npy", "parquet"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ROW_GROUP = 1 << 20  # ids of a Parquet file that are held until they are written together

Ids = NDArray[Any]


def dtype_for(n_vocab: int) -> np.dtype[Any]:
    """The smallest type that holds the ids of a vocabulary. n_vocab: the highest id + 1.

    >>> dtype_for(50_257).name, dtype_for(65_536).name, dtype_for(100_277).name
    ('uint16', 'uint16', 'uint32')
    """
    return np.dtype("<u2" if n_vocab <= 1 << 16 else "<u4")


class Writer(Protocol):
    """Writes ids to an open file. Nothing is complete before `end`."""

    def add(self, ids: Ids) -> None:
        """ids: of the dtype that the writer was made with."""

    def end(self) -> None: ...

    def drop(self) -> None:
        """Stop, wherever it is. The file must still be open."""


def writer_for(kind: Kind, file: BinaryIO, dtype: np.dtype[Any]) -> Writer:
    return ParquetWriter(file, dtype) if kind == "parquet" else NpyWriter(file, dtype)


def check_kind(kind: Kind) -> Kind:
    """SettingError if there is no such kind, or its package is not installed."""
    if kind not in KINDS:
        raise SettingError(f"There is no kind of output {kind!r}.", f"Choose one of: {', '.join(KINDS)}.")
    if kind == "parquet":
        _pyarrow()
    return kind


class NpyWriter:
    """numpy's own format.

    Its header says how many ids follow, which is known at the end. numpy makes the header of an array of any length
    equally long, so that the last one fits where the first one was.
    """

    def __init__(self, file: BinaryIO, dtype: np.dtype[Any]) -> None:
        self._file, self._dtype, self._n_ids = file, dtype, 0
        file.write(self._header())

    def add(self, ids: Ids) -> None:
        self._file.write(np.ascontiguousarray(ids, self._dtype).data)
        self._n_ids += len(ids)

    def end(self) -> None:
        self._file.seek(0)
        self._file.write(self._header())
        self._file.seek(0, io.SEEK_END)

    def drop(self) -> None:
        pass

    def _header(self) -> bytes:
        header = io.BytesIO()
        about = {"descr": self._dtype.str, "fortran_order": False, "shape": (self._n_ids,)}
        np.lib.format.write_array_header_1_0(header, about)
        return header.getvalue()


class ParquetWriter:
    """Parquet, with one column, `ids`, and one row an id."""

    def __init__(self, file: BinaryIO, dtype: np.dtype[Any]) -> None:
        pyarrow, parquet = _pyarrow()
        self._array = pyarrow.array
        self._schema = pyarrow.schema([pyarrow.field("ids", pyarrow.from_numpy_dtype(dtype), nullable=False)])
        self._table = pyarrow.Table
        self._writer = parquet.ParquetWriter(file, self._schema)
        self._held: list[Ids] = []
        self._n_held = 0

    def add(self, ids: Ids) -> None:
        self._held.append(ids)
        self._n_held += len(ids)
        if self._n_held >= ROW_GROUP:
            self._write()

    def end(self) -> None:
        if self._held:
            self._write()
        self._writer.close()

    def drop(self) -> None:
        with contextlib.suppress(OSError):
            self._writer.close()
        self._writer.is_open = False  # else it writes again when it is collected, to a file that is closed

    def _write(self) -> None:
        column = self._array(np.concatenate(self._held))
        self._writer.write_table(self._table.from_arrays([column], schema=self._schema), ROW_GROUP)
        self._held, self._n_held = [], 0


def _pyarrow() -> tuple[Any, Any]:
    """The package that writes Parquet, which is optional."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise SettingError(
            "Parquet files need the package pyarrow, which is not installed.",
            "Install it with `python -m pip install pyarrow`, or write .npy files.",
        ) from None
