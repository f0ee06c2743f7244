"""Simulate images of patients, read by a person and by a network: writes patients.csv.

Answers depend within a patient: with probability ½ an image has the answer of its patient. The
south is harder than the other sites, and the reader abstains from 3 % of the images.
"""

from __future__ import annotations

import random
from pathlib import Path

ACCURACY = {"north": 0.9, "south": 0.72, "west": 0.9}
OTHER = {"tumour": "none", "none": "tumour"}


def main() -> None:
    """Write 60 patients with three to five images each."""
    draw = random.Random(20)  # noqa: S311  # not for secrets
    rows = ["image,patient,site,truth,reader,network"]
    for patient in range(60):
        site = list(ACCURACY)[patient % len(ACCURACY)]
        accuracies = ACCURACY[site], ACCURACY[site] + 0.05
        shared = [draw.random() < accuracy for accuracy in accuracies]
        for _ in range(draw.choice([3, 4, 5])):
            truth = "tumour" if draw.random() < 0.45 else "none"  # noqa: PLR2004  # prevalence
            answers = []
            for accuracy, same in zip(accuracies, shared, strict=True):
                right = same if draw.random() < 0.5 else draw.random() < accuracy  # noqa: PLR2004
                answers.append(truth if right else OTHER[truth])
            if draw.random() < 0.03:  # noqa: PLR2004  # abstentions
                answers[0] = "unclear"
            rows.append(",".join([f"i{len(rows)}", f"p{patient + 1}", site, truth, *answers]))
    Path(__file__).with_name("patients.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
