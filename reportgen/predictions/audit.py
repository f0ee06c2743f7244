"""How the cases of each classifier compare with those of the others or of the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault
from reportgen.errors.data_faults import CASES_DIFFER
from reportgen.predictions.model import CaseAudit
from reportgen.predictions.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_EXAMPLES = 5


def audit_cases(
    names: Sequence[str],
    every: pl.DataFrame,
    once: pl.DataFrame,
    labelled: Mapping[str, pl.DataFrame],
) -> tuple[CaseAudit, ...]:
    """Count rows, cases, and what is missing, extra and duplicated for each classifier."""
    union = once.select("case", "id", "repeat").unique("case", keep="first", maintain_order=True)
    held = once.group_by("case").agg(holders=pl.len())
    not_everywhere = held.filter(pl.col("holders") < len(names))
    rows = dict(every["classifier"].value_counts().rows())
    return tuple(
        _audit(name, rows[name], own, _Others(union, not_everywhere, labelled.get(name)))
        for name in names
        for own in (once.filter(pl.col("classifier") == name).select("case", "id", "repeat"),)
    )


@dataclass(frozen=True, slots=True)
class _Others:
    """What a classifier's cases are compared with."""

    union: pl.DataFrame
    not_everywhere: pl.DataFrame
    labels: pl.DataFrame | None


def _audit(name: str, rows: int, own: pl.DataFrame, others: _Others) -> CaseAudit:
    lacking = others.union.join(own, on="case", how="anti", maintain_order="left")
    if others.labels is None:
        missing = lacking
        extra = own.join(others.not_everywhere, on="case", how="semi", maintain_order="left")
    else:
        # Cases that the labels ask for, also those that no classifier has.
        by_none = others.labels.join(others.union, on="id", how="anti", maintain_order="left")
        asked = lacking.join(others.labels, on="id", how="semi", maintain_order="left")
        missing = pl.concat([asked, by_none.select("id")], how="diagonal")
        extra = own.join(others.labels, on="id", how="anti", maintain_order="left")
    return CaseAudit(
        classifier=name,
        rows=rows,
        cases=own.height,
        missing=missing.height,
        extra=extra.height,
        duplicated=rows - own.height,
        contradicting=0,
        missing_examples=_case_names(missing),
        extra_examples=_case_names(extra),
    )


def _case_names(cases: pl.DataFrame) -> tuple[str, ...]:
    return tuple(
        name if fold is None else f"{name} in fold {fold}"
        for name, fold in cases.select("id", "repeat").head(_EXAMPLES).rows()
    )


def refuse_differences(audits: Sequence[CaseAudit]) -> None:
    """Raise if any classifier has other cases than it should."""
    faults = [
        Fault(
            CASES_DIFFER,
            f"`{audit.classifier}` {verb} {counted(count, 'case')}: {', '.join(examples)}"
            + (", …" if count > len(examples) else ""),
            help='write `cases = "common"` under `[data]` to measure on the cases all share',
        )
        for audit in audits
        for verb, count, examples in (
            ("lacks", audit.missing, audit.missing_examples),
            ("alone has", audit.extra, audit.extra_examples),
        )
        if count
    ]
    if faults:
        raise DataError(*faults)
