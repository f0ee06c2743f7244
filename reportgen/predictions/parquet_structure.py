"""Structure of Parquet files: the number of rows, and the checksums of pages.

Polars does not verify them. The CRC-32 of a page is an optional field of its header; Spark, Hive
and other Java writers add it by default, Arrow does on request.
"""

from __future__ import annotations

import zlib
from enum import IntEnum
from typing import IO, TYPE_CHECKING, Any

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import FILE_CORRUPT

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC = b"PAR1"
_FOOTER_BYTES = 8
_MAX_DEPTH = 32
# Field ids of parquet.thrift.
_ROW_COUNT, _ROW_GROUPS, _COLUMN_CHUNKS, _COLUMN_METADATA = 3, 4, 1, 3
_COMPRESSED_SIZE, _DATA_OFFSET, _DICTIONARY_OFFSET = 7, 9, 11
_PAGE_SIZE, _PAGE_CRC = 3, 4
_LONG_LIST = 15
_FOOTER_ERRORS = (ValueError, TypeError, KeyError, AttributeError, OverflowError, OSError)


class _Type(IntEnum):
    """The types of Thrift's compact protocol; maps are in no struct of Parquet."""

    STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, _, STRUCT = range(13)


def verify_page_checksums(path: Path) -> None:
    """Raise if a page of a Parquet file differs from its checksum; pages without one are skipped.

    A file whose structure cannot be read is left to the reader, which reports it.
    """
    with path.open("rb") as stream:
        try:
            are_intact = all(_pages_are_intact(stream, *chunk) for chunk in _column_chunks(stream))
        except _FOOTER_ERRORS:
            return
    if not are_intact:
        message = "the Parquet data are damaged: a page differs from its checksum"
        help_text = "copy or download the file again"
        raise DataError(Diagnostic(FILE_CORRUPT, message, Location(path), help_text))


def read_row_count(path: Path) -> int | None:
    """Return the number of rows in the footer of a Parquet file; None if it cannot be read.

    Unlike a scan it needs no memory beyond that of the footer.
    """
    with path.open("rb") as stream:
        try:
            rows = _read_footer(stream).get(_ROW_COUNT)
        except _FOOTER_ERRORS:
            return None
    return rows if isinstance(rows, int) else None


def _read_footer(stream: IO[bytes]) -> dict[int, Any]:
    """Return the metadata of a file; empty if it does not end as a Parquet file does."""
    file_size = stream.seek(0, 2)
    stream.seek(file_size - _FOOTER_BYTES)
    footer = stream.read(_FOOTER_BYTES)
    if footer[4:] != _MAGIC:
        return {}
    stream.seek(file_size - _FOOTER_BYTES - int.from_bytes(footer[:4], "little"))
    return _read_struct(stream)


def _column_chunks(stream: IO[bytes]) -> list[tuple[int, int]]:
    """Return the position of the first page and the size in bytes of each column chunk."""
    file_size = stream.seek(0, 2)
    chunks = []
    for row_group in _read_footer(stream).get(_ROW_GROUPS, ()):
        for chunk in row_group[_COLUMN_CHUNKS]:
            column = chunk[_COLUMN_METADATA]
            # Some writers give a dictionary that is not there the position 0.
            start = min(column.get(_DICTIONARY_OFFSET) or file_size, column[_DATA_OFFSET])
            chunks.append((start, column[_COMPRESSED_SIZE]))
    if sum(size for _, size in chunks) > file_size:
        raise ValueError("column chunks that overlap")
    return chunks


def _pages_are_intact(stream: IO[bytes], start: int, size: int) -> bool:
    """Return whether no page of a column chunk differs from its checksum."""
    stream.seek(start)
    while (left := start + size - stream.tell()) > 0:
        header = _read_struct(stream)
        page_size = header[_PAGE_SIZE]
        if not 0 <= page_size <= left:
            raise ValueError("a page longer than its column chunk")
        if _PAGE_CRC not in header:
            stream.seek(page_size, 1)
        elif zlib.crc32(stream.read(page_size)) != header[_PAGE_CRC] & 0xFFFFFFFF:
            return False
    return True


def _read_struct(stream: IO[bytes], depth: int = 0) -> dict[int, Any]:
    """Return the numbers, lists and structs of a Thrift struct by field id; texts are None."""
    if depth > _MAX_DEPTH:
        raise ValueError("nested too deeply")
    fields: dict[int, Any] = {}
    field_id = 0
    while (head := _read_byte(stream)) != _Type.STOP:
        kind, step = head & 15, head >> 4
        field_id = field_id + step if step else _read_integer(stream)
        # A boolean field is its type; in a list it is a byte.
        is_boolean = kind in {_Type.TRUE, _Type.FALSE}
        fields[field_id] = kind == _Type.TRUE if is_boolean else _read_value(stream, kind, depth)
    return fields


def _read_value(stream: IO[bytes], kind: int, depth: int) -> Any:  # noqa: ANN401  # any type
    match kind:
        case _Type.TRUE | _Type.FALSE | _Type.BYTE:
            return _read_byte(stream)
        case _Type.I16 | _Type.I32 | _Type.I64:
            return _read_integer(stream)
        case _Type.LIST | _Type.SET:
            head = _read_byte(stream)
            length = head >> 4 if head >> 4 != _LONG_LIST else _read_varint(stream)
            return [_read_value(stream, head & 15, depth + 1) for _ in range(length)]
        case _Type.STRUCT:
            return _read_struct(stream, depth + 1)
        case _Type.DOUBLE:
            stream.seek(8, 1)
        case _Type.BINARY:
            stream.seek(_read_varint(stream), 1)
        case _:
            raise ValueError("an unknown type")
    return None


def _read_integer(stream: IO[bytes]) -> int:
    """Return a signed number, which is stored in zigzag encoding."""
    number = _read_varint(stream)
    return number >> 1 ^ -(number & 1)


def _read_varint(stream: IO[bytes]) -> int:
    number = 0
    for shift in range(0, 70, 7):
        byte = _read_byte(stream)
        number |= (byte & 127) << shift
        if byte < 128:  # noqa: PLR2004  # the highest bit says that more follow
            return number
    raise ValueError("a number of more than 64 bits")


def _read_byte(stream: IO[bytes]) -> int:
    if not (byte := stream.read(1)):
        raise ValueError("the file ends")
    return byte[0]
