"""How the cases of each classifier compare with those of the others or of the labels."""

from __future__ import annotations

from heapq import nsmallest
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault
from reportgen.errors.data_faults import CASES_DIFFER
from reportgen.frozen import frozen
from reportgen.predictions.files import natural_key
from reportgen.predictions.model import CaseAudit
from reportgen.predictions.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.predictions.truths import Truths

_EXAMPLES = 5


def audit_cases(
    names: Sequence[str],
    every: pl.DataFrame,
    once: pl.DataFrame,
    truths: Mapping[str, Truths],
) -> tuple[CaseAudit, ...]:
    """Count rows, cases, and what is missing, extra and duplicated for each classifier."""
    shared = shared_cases(once, len(names)).height
    union = once.select("case", "id", "repeat").unique("case", keep="first", maintain_order=True)
    held = once.group_by("case").agg(holders=pl.len())
    not_everywhere = held.filter(pl.col("holders") < len(names))
    rows = dict(every["classifier"].value_counts().rows())
    return tuple(
        _audit(name, (rows[name], shared), own, _Others(union, not_everywhere, truths.get(name)))
        for name in names
        for own in (once.filter(pl.col("classifier") == name).select("case", "id", "repeat"),)
    )


def audit_of(cases: Cases, missing: pl.Series, extra: pl.Series) -> CaseAudit:
    """Return the audit of a classifier that has every id once, by what it lacks or has alone."""
    return CaseAudit(
        classifier=cases.classifier,
        rows=cases.size,
        cases=cases.size - len(extra),
        missing=len(missing),
        extra=len(extra),
        duplicated=0,
        contradicting=0,
        missing_examples=_first_names(missing),
        extra_examples=_first_names(extra),
    )


def shared_cases(once: pl.DataFrame, classifiers: int) -> pl.DataFrame:
    """Return the cases that all classifiers have, and whose truth is known."""
    shared = (pl.len() == classifiers) & pl.col("truth").is_not_null().all()
    return once.group_by("case").agg(shared=shared).filter("shared")


@frozen
class _Others:
    """What a classifier's cases are compared with."""

    union: pl.DataFrame
    not_everywhere: pl.DataFrame
    truths: Truths | None


def _audit(name: str, counts: tuple[int, int], own: pl.DataFrame, others: _Others) -> CaseAudit:
    rows, shared = counts
    lacking = others.union.join(own, on="case", how="anti", maintain_order="left")
    if others.truths is None:
        missing = lacking
        extra = own.join(others.not_everywhere, on="case", how="semi", maintain_order="left")
    else:
        # Cases that the labels ask for, also those that no classifier has.
        labels = others.truths.frame.select("id")
        by_none = labels.join(others.union, on="id", how="anti", maintain_order="left")
        asked = lacking.join(labels, on="id", how="semi", maintain_order="left")
        missing = pl.concat([asked, by_none.select("id")], how="diagonal")
        extra = own.join(labels, on="id", how="anti", maintain_order="left")
    return CaseAudit(
        classifier=name,
        rows=rows,
        cases=shared,
        missing=missing.height,
        extra=extra.height,
        duplicated=rows - own.height,
        contradicting=0,
        missing_examples=_case_names(missing),
        extra_examples=_case_names(extra),
    )


def _case_names(cases: pl.DataFrame) -> tuple[str, ...]:
    names = (
        name if fold is None else f"{name} in fold {fold}"
        for name, fold in cases.select("id", "repeat").iter_rows()
    )
    return _first_names(names)


def _first_names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(nsmallest(_EXAMPLES, names, key=natural_key))


def differences(audits: Sequence[CaseAudit], truths: Mapping[str, Truths]) -> list[str]:
    """Say, per classifier, which cases it lacks and which only it has, or the labels lack."""
    told: list[str] = []
    for audit in audits:
        name, labels = audit.classifier, truths.get(audit.classifier)
        missing, extra = counted(audit.missing, "case"), counted(audit.extra, "case")
        lacks, alone = f"`{name}` lacks {missing}", f"`{name}` has {extra} that others lack"
        if labels is not None:
            lacks += f" of `{labels.file.written}`"
            alone = f"`{labels.file.written}` has no truth for {extra} that `{name}` predicts"
        if audit.missing:
            told.append(f"{lacks}{_some(audit.missing_examples, audit.missing)}")
        if audit.extra:
            told.append(f"{alone}{_some(audit.extra_examples, audit.extra)}")
    return told


def _some(examples: Sequence[str], count: int) -> str:
    """Name examples in brackets; a cluster gives none."""
    more = ", …" if count > len(examples) else ""
    return f" ({', '.join(examples)}{more})" if examples else ""


def refuse_differences(audits: Sequence[CaseAudit], truths: Mapping[str, Truths]) -> None:
    """Raise if any classifier has other cases than it should."""
    help_text = 'write `cases = "common"` under `[data]` to measure on the cases all share'
    faults = [Fault(CASES_DIFFER, said, help=help_text) for said in differences(audits, truths)]
    if faults:
        raise DataError(*faults)
