"""Why a file elsewhere cannot be read, in plain words and without secrets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reportgen.errors import Fault, Place
from reportgen.errors.data_faults import FILE_DAMAGED, REMOTE_UNREADABLE
from reportgen.spec.addresses import AZURE, GOOGLE, HUGGING_FACE, S3

if TYPE_CHECKING:
    from reportgen.errors import Address
    from reportgen.predictions.formats import Format

_S3_WAYS = (
    "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION (and AWS_ENDPOINT_URL for a store"
    " of your own); AWS_SKIP_SIGNATURE=true for a public bucket"
)
_GOOGLE_WAYS = "set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account's key"
_AZURE_WAYS = (
    "set AZURE_STORAGE_ACCOUNT_NAME, and AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_TOKEN"
)
_HUGGING_FACE_WAYS = "set HF_TOKEN to a token that may read the repository"
_WAYS = {
    **dict.fromkeys(S3, _S3_WAYS),
    **dict.fromkeys(GOOGLE, _GOOGLE_WAYS),
    **dict.fromkeys(AZURE, _AZURE_WAYS),
    **dict.fromkeys(HUGGING_FACE, _HUGGING_FACE_WAYS),
}
# Said by servers and clients in texts that may hold keys, so that these are told apart, not shown.
_NO_CREDENTIALS = r"169\.254\.|token request|Account must be specified|No valid credentials"
_DENIED = r"(status code: |error \()40[13]|lacked the necessary privileges|AccessDenied"
_ABSENT = r"(status code: |error \()404|NoSuchKey"
_SLOW = "timed out"
_UNREACHED = r"error sending request|client error \(Connect\)|[Cc]onnection (refused|reset)"
_LONGEST_REASON = 120


def remote_fault(address: Address, found: Format, error: BaseException) -> Fault:
    """Return the fault of a file elsewhere that could not be opened or read."""
    text = str(error)
    place = Place(address)
    ways = _WAYS[address.scheme]
    connection = "look at the network, and at the name of the server in the environment"
    if re.search(_NO_CREDENTIALS, text):
        return Fault(REMOTE_UNREADABLE, "no credentials were found", place, ways)
    if "NoSuchBucket" in text:
        store = address.written.split("/")[2]
        message = f"there is no bucket `{store}`"
        return Fault(REMOTE_UNREADABLE, message, place, "look at the spelling")
    if re.search(_DENIED, text):
        return Fault(REMOTE_UNREADABLE, "access was denied", place, ways)
    if isinstance(error, FileNotFoundError) or re.search(_ABSENT, text):
        return Fault(REMOTE_UNREADABLE, "there is no such file", place, "look at the spelling")
    if isinstance(error, TimeoutError) or _SLOW in text:
        message = "the server did not answer in time"
        return Fault(REMOTE_UNREADABLE, message, place, connection)
    if re.search(_UNREACHED, text):
        return Fault(REMOTE_UNREADABLE, "the server cannot be reached", place, connection)
    if isinstance(error, OSError):
        message = f"the file cannot be read: {_shortened(text)}"
        return Fault(REMOTE_UNREADABLE, message, place, ways)
    message = f"the {found} data cannot be read: {_shortened(text) or type(error).__name__}"
    return Fault(FILE_DAMAGED, message, place, "copy or make the file again")


def _shortened(text: str) -> str:
    """Return the first line of a reason, without addresses and what servers answered."""
    first = text.partition("\n")[0].removeprefix("object-store error: ")
    first = re.sub(r"\w+://\S+", "…", first).partition("<")[0].partition(" (path:")[0]
    return first if len(first) <= _LONGEST_REASON else f"{first[:_LONGEST_REASON]}…"
