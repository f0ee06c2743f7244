"""Classifiers that other tables name exist."""

from collections.abc import Iterator

from reportgen.errors import did_you_mean
from reportgen.errors.spec_faults import UNKNOWN_CLASSIFIER
from reportgen.spec.draft import Draft
from reportgen.spec.findings import Finding, KeyPath, quoted


def reference_findings(draft: Draft) -> Iterator[Finding]:
    """Yield names of classifiers that no classifier has."""
    written: list[tuple[KeyPath, object]] = [
        (("comparison", "baseline"), draft.table("comparison").get("baseline")),
        *(
            ((*path, key), table.get(key))
            for tables, key in (
                ("published", "classifier"),
                ("gates", "classifier"),
                ("gates", "not_worse_than"),
            )
            for path, table in draft.tables(tables)
        ),
    ]
    names = draft.classifier_names
    for path, name in written:
        if isinstance(name, str) and name.strip() and names is not None and name not in names:
            yield Finding(
                UNKNOWN_CLASSIFIER,
                f"no classifier is named {quoted(name)}",
                path,
                did_you_mean(name, names) or f"there are {', '.join(map(quoted, names[:10]))}",
            )
