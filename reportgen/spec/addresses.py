"""Prediction files as a spec may name them: paths, and addresses of files elsewhere."""

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from reportgen.errors.spec_faults import ADDRESS_UNSAFE, REMOTE_INPUT
from reportgen.spec.texts import Line, Some, is_address, one_or_many, refusal

S3, GOOGLE, AZURE = ("s3", "s3a"), ("gs",), ("az", "azure", "adl", "abfs", "abfss")
HUGGING_FACE = ("hf",)
SCHEMES = (*S3, *GOOGLE, *AZURE, *HUGGING_FACE)
# Azure's names of a container and its account have an @ between them, and no password.
_CONTAINERS = ("abfs", "abfss")
_SECRETS = r"(?<=://)[^/\s\"']*(?=@)|(?<=\?)[^\s\"']+"
_STEPS = frozenset({"", ".", ".."})


def is_remote(path: str) -> bool:
    """Tell whether a path is an address of a kind that can be read."""
    scheme, separator, _ = path.partition("://")
    return bool(separator) and scheme in SCHEMES


def masked(line: str) -> str:
    """Return a line with * for every character of what may be a secret in an address."""
    if "://" not in line:
        return line
    return re.sub(_SECRETS, lambda found: "*" * len(found[0]), line)


def _safe(path: str) -> str:
    if not is_address(path):
        return path
    if not is_remote(path):
        raise refusal(
            REMOTE_INPUT,
            "must be a file, or an address that begins with s3, gs, az, abfss or hf and ://",
            "download the file and give its path, relative to the spec",
        )
    scheme, _, rest = path.partition("://")
    store, _, key = rest.partition("/")
    if "@" in store and (scheme not in _CONTAINERS or ":" in store):
        raise refusal(
            ADDRESS_UNSAFE,
            "must not have a user or a password before an @",
            "give them in environment variables, which docs/remote.md names",
        )
    if "?" in path:
        raise refusal(
            ADDRESS_UNSAFE,
            "must not have anything after a ?",
            "credentials belong into environment variables; in patterns write * instead of ?",
        )
    if not store or not _STEPS.isdisjoint(key.split("/")):
        raise refusal(
            REMOTE_INPUT,
            "must be a whole address, without empty parts, . and ..",
            "for example s3://bucket/folder/file.parquet",
        )
    return path


DataPath = Annotated[Line, AfterValidator(_safe)]
DataPaths = Annotated[
    Some[DataPath],
    BeforeValidator(one_or_many, json_schema_input_type=str | Some[str]),
]
