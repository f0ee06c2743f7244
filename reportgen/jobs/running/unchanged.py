"""Whether a report would come out as it is already."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen.errors import ReportgenError
from reportgen.jobs.history.record import GateRecord
from reportgen.predictions.input_hashes import input_hashes
from reportgen.rendering.page.look import read_look
from reportgen.rendering.results.manifest import MANIFEST
from reportgen.report.versions import used_versions

PDF = "report.pdf"

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.spec import SpecFile


def standing_gates(spec_file: SpecFile, folder: Path) -> tuple[GateRecord, ...] | None:
    """Return the gates of the report that stands in a folder, if it would come out the same.

    It would if it has the same spec, inputs, look and versions, and its files are as they were
    written. Whatever cannot be found out counts as a change: the report is then built.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        names = {output["path"] for output in manifest["outputs"]}
        stands = (
            _made_from(manifest) == _would_be_made_from(spec_file)
            # Where Pango was missing the PDF is wanting.
            and (PDF in names or "pdf" not in manifest["options"]["formats"])
            and bool(names)
            and all(_is_there(folder, output) for output in manifest["outputs"])
        )
        return tuple(map(_gate, manifest.get("gates", ()))) if stands else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ReportgenError):
        return None


def _gate(row: dict[str, object]) -> GateRecord:
    named = {"class_" if key == "class" else key: value for key, value in row.items()}
    return GateRecord(**named)  # type: ignore[arg-type]  # as the manifest of ours has them


def _made_from(manifest: dict[str, object]) -> dict[str, object]:
    """Return what a report was made from, as far as it decides how it comes out."""
    kept = {key: manifest[key] for key in ("options", "look", "versions")}
    spec, inputs = manifest["spec"], manifest["inputs"]
    if not (isinstance(spec, dict) and isinstance(inputs, list)):
        raise TypeError
    read = [(file["classifier"], file["path"], file["sha256"]) for file in inputs]
    return {**kept, "spec": spec["sha256"], "inputs": read}


def _would_be_made_from(spec_file: SpecFile) -> dict[str, object]:
    output = spec_file.spec.output
    return {
        "options": {"detail": output.detail, "formats": list(output.formats)},
        "look": [{"path": file.path, "sha256": file.sha256} for file in read_look(spec_file).files],
        "versions": used_versions(),
        "spec": spec_file.sha256,
        "inputs": input_hashes(spec_file),
    }


def _is_there(folder: Path, output: dict[str, object]) -> bool:
    content = (folder / str(output["path"])).read_bytes()
    return sha256(content).hexdigest() == output["sha256"]
