"""Write the picture of README.md: page one of the flagship's PDF, in 64 colours."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]  # it has none

ROOT = Path(__file__).parent.parent
FLAGSHIP = ROOT / "specs" / "breast_cancer.toml"
PICTURE = ROOT / "docs" / "images" / "report.png"
# Points are 1/72 inch.
PIXELS_PER_POINT = 100 / 72


def main() -> None:
    """Build the flagship report and draw its first page."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--format", "pdf", "--no-history", "-o", folder]
        command = [sys.executable, "-m", "reportgen", "build", str(FLAGSHIP), *options]
        subprocess.run(command, check=True)  # noqa: S603
        page = pypdfium2.PdfDocument(Path(folder, FLAGSHIP.stem, "report.pdf"))[0]
        image = page.render(scale=PIXELS_PER_POINT).to_pil()
        image.convert("RGB").quantize(64).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
