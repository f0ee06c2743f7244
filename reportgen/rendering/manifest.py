"""manifest.json: from what, with what and into what a report was made."""

from __future__ import annotations

import json
import platform
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING

from reportgen import __version__
from reportgen.rendering.dates import source_date

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.report import Evaluation

MANIFEST = "manifest.json"
SCHEMA_NAME = "reportgen/manifest/1"
LIBRARIES = ("jinja2", "polars", "pydantic", "scipy", "weasyprint")


def manifest_json(evaluation: Evaluation, files: Mapping[str, bytes]) -> str:
    """Return the manifest of the files of a report."""
    spec_file = evaluation.spec_file
    manifest = {
        "schema": SCHEMA_NAME,
        "title": evaluation.spec.title,
        **_date(),
        "spec": {
            "path": spec_file.path.name,
            "sha256": spec_file.sha256,
            "text": spec_file.text,
        },
        "inputs": [
            {
                "classifier": file.classifier,
                "path": file.path,
                "sha256": file.sha256,
                "rows": file.rows,
            }
            for file in evaluation.predictions.inputs
        ],
        "versions": {
            "reportgen": __version__,
            "python": platform.python_version(),
            **{library: version(library) for library in LIBRARIES},
        },
        "outputs": [
            {"path": name, "sha256": sha256(content).hexdigest(), "bytes": len(content)}
            for name, content in sorted(files.items())
        ],
        "warnings": list(evaluation.warnings),
    }
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def listed_outputs(manifest: bytes) -> tuple[str, ...]:
    """Return the files that an earlier manifest names, if it can be read."""
    try:
        outputs = json.loads(manifest)["outputs"]
        return tuple(str(output["path"]) for output in outputs)
    except (ValueError, KeyError, TypeError):
        return ()


def _date() -> dict[str, str]:
    date = source_date()
    return {"date": date.isoformat()} if date else {}
