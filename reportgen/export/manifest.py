"""manifest.json: from what, with what and into what a report was made."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, RenderingError
from reportgen.errors.run import INVALID_SOURCE_DATE
from reportgen.evaluation.gate_outcome import gate_record
from reportgen.export.control_characters import escape_in_json
from reportgen.report.versions import software_versions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.formats import OutputFormat


# The date a report bears: none unless asked for, so that the same inputs give the same bytes.

SOURCE_DATE_VARIABLE = "SOURCE_DATE_EPOCH"


def source_date() -> datetime | None:
    """Return the date that SOURCE_DATE_EPOCH asks for, if it is set."""
    value = os.environ.get(SOURCE_DATE_VARIABLE, "")
    if not value:
        # NumPy fails to import if the variable is set and empty.
        os.environ.pop(SOURCE_DATE_VARIABLE, None)
        return None
    try:
        return datetime.fromtimestamp(int(value), UTC)
    except (ValueError, OverflowError, OSError) as error:
        diagnostic = Diagnostic(
            INVALID_SOURCE_DATE,
            f"{SOURCE_DATE_VARIABLE} is {value!r}, which is no date",
            help="set it to seconds since 1970, such as 1700000000, or unset it",
        )
        raise RenderingError(diagnostic) from error


MANIFEST_FILE = "manifest.json"
MANIFEST_SCHEMA = "reportgen/manifest/1"


@dataclass(frozen=True, slots=True)
class ThemeFile:
    """A file of the theme, such as a font or a template, with the SHA-256 hash of its content."""

    path: str
    sha256: str


def manifest_json(
    evaluation: Evaluation,
    files: Mapping[str, bytes],
    formats: Collection[OutputFormat],
    theme_files: Collection[ThemeFile],
) -> str:
    """Return the manifest of the files of a report."""
    spec_file = evaluation.spec_file
    manifest = {
        "schema": MANIFEST_SCHEMA,
        "title": evaluation.spec.title,
        **_date_entry(),
        "spec": {
            "path": spec_file.name,
            # Of the whole file, also where the text is not.
            "sha256": spec_file.sha256,
            "text": spec_file.redacted_text,
            **({"redacted": ["notify"]} if evaluation.spec.notify else {}),
        },
        "options": {"detail": evaluation.spec.output.detail, "formats": list(formats)},
        "inputs": [
            {
                "classifier": file.classifier,
                "path": file.path,
                "sha256": file.sha256,
                "rows": file.rows,
            }
            for file in evaluation.aggregates.inputs
        ],
        "theme": [{"path": file.path, "sha256": file.sha256} for file in theme_files],
        "versions": software_versions(),
        "outputs": [
            {"path": name, "sha256": sha256(content).hexdigest(), "bytes": len(content)}
            for name, content in sorted(files.items())
        ],
        **({"gates": list(map(gate_record, evaluation.gates))} if evaluation.gates else {}),
        "warnings": list(evaluation.warnings),
    }
    return escape_in_json(json.dumps(manifest, indent=2, ensure_ascii=False)) + "\n"


def _date_entry() -> dict[str, str]:
    date = source_date()
    return {"date": date.isoformat()} if date else {}
