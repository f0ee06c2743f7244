"""manifest.json: from what, with what and into what a report was made."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen.comparisons.gates.outcome import gate_row
from reportgen.rendering.dates import source_date
from reportgen.rendering.page.look import SHIPPED
from reportgen.report.versions import used_versions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from reportgen.rendering.page.look import Look
    from reportgen.report.evaluation import Evaluation
    from reportgen.spec import Format

MANIFEST = "manifest.json"
SCHEMA_NAME = "reportgen/manifest/1"


def manifest_json(
    evaluation: Evaluation,
    files: Mapping[str, bytes],
    formats: Collection[Format],
    look: Look = SHIPPED,
) -> str:
    """Return the manifest of the files of a report."""
    spec_file = evaluation.spec_file
    manifest = {
        "schema": SCHEMA_NAME,
        "title": evaluation.spec.title,
        **_date(),
        "spec": {
            "path": spec_file.name,
            # Of the whole file, also where the text is not.
            "sha256": spec_file.sha256,
            "text": spec_file.public_text,
            **({"left_out": ["notify"]} if evaluation.spec.notify else {}),
        },
        "options": {"detail": evaluation.spec.output.detail, "formats": list(formats)},
        "inputs": [
            {
                "classifier": file.classifier,
                "path": file.path,
                "sha256": file.sha256,
                "rows": file.rows,
            }
            for file in evaluation.predictions.inputs
        ],
        "look": [{"path": file.path, "sha256": file.sha256} for file in look.files],
        "versions": used_versions(),
        "outputs": [
            {"path": name, "sha256": sha256(content).hexdigest(), "bytes": len(content)}
            for name, content in sorted(files.items())
        ],
        **({"gates": list(map(gate_row, evaluation.gates))} if evaluation.gates else {}),
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
