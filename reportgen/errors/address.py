"""Where a file is that another machine keeps."""

from __future__ import annotations

from reportgen.frozen import frozen


@frozen
class Address:
    """The address of a file, such as s3://bucket/run/svm.parquet; it never holds a secret."""

    written: str

    @property
    def scheme(self) -> str:
        """What stands before ://, which tells who keeps the file."""
        return self.written.partition("://")[0]

    @property
    def name(self) -> str:
        """The last part, which is the name of the file."""
        return self.written.rpartition("/")[2]

    def __str__(self) -> str:
        return self.written
