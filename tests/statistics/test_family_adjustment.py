"""All tests of a report as one family."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from reportgen.statistics.multiplicity import holm_over_families

p_values = st.floats(1e-6, 1)


@pytest.mark.slow
@given(st.lists(p_values, min_size=1, max_size=8))
def test_blocks_of_one_hypothesis_are_adjusted_by_holm(raw_p_values: list[float]) -> None:
    """Statsmodels' Holm."""
    adjusted = [p for (p,) in holm_over_families([[p] for p in raw_p_values])]

    assert adjusted == pytest.approx(multipletests(raw_p_values, method="holm")[1])


def test_one_block_is_left_as_it_is() -> None:
    """Its p-values are adjusted for each other already."""
    assert holm_over_families([[0.04, 0.01, 1.0]]) == [[0.04, 0.01, 1.0]]


def test_a_block_passes_on_its_share_only_when_all_of_it_is_rejected() -> None:
    """[0.02, 0.01] is rejected whole at 2 · 0.02 = 0.04, so 0.03 is tested at the full level."""
    assert holm_over_families([[0.02, 0.01], [0.03, 0.5]]) == [[0.04, 0.02], [0.04, 0.5]]
    assert holm_over_families([[0.6, 0.01], [0.03, 0.5]]) == [[1.0, 0.02], [0.06, 1.0]]


def rejected_at(blocks: list[list[float]], level: float) -> set[tuple[int, int]]:
    """Reject by the rule written out: shares, passed on by whole blocks until nothing changes."""
    counts: set[int] = set()
    while True:
        share = level / max(1, len(blocks) - len(counts))
        hypotheses = {
            number for number, block in enumerate(blocks) if all(p <= share for p in block)
        } | counts
        if hypotheses == counts:
            break
        counts = hypotheses
    return {
        (number, place)
        for number, block in enumerate(blocks)
        for place, p in enumerate(block)
        if number in counts or p <= share
    }


@settings(max_examples=200)
@given(
    st.lists(st.lists(p_values, min_size=1, max_size=3), min_size=1, max_size=4),
    st.sampled_from([0.01, 0.05, 0.2]),
)
def test_an_adjusted_p_value_is_the_level_at_which_the_rule_rejects(
    blocks: list[list[float]], level: float
) -> None:
    """Shares of the level, passed on by blocks that are rejected whole."""
    adjusted = holm_over_families(blocks)
    result = {
        (number, place)
        for number, block in enumerate(adjusted)
        for place, p in enumerate(block)
        if p <= level
    }

    assert result == rejected_at(blocks, level)


def test_shares_weigh_the_families() -> None:
    """Shares ½ and ¼ of α: 0.02 needs 1.5 · 0.02, then 0.04 is tested at the full level."""
    adjusted = holm_over_families([[0.02], [0.04]], [0.5, 0.25])

    assert adjusted[0] == pytest.approx([0.03])
    assert adjusted[1] == pytest.approx([0.04])
    assert holm_over_families([[0.9], [0.04]], [0.5, 0.25])[1] == pytest.approx([0.12])


def test_an_empty_family_keeps_no_share() -> None:
    """Of three families one has no hypotheses."""
    assert holm_over_families([[0.01, 0.5], []], [0.5, 0.5]) == [[0.01, 0.5], []]


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_larger_p_values_never_become_smaller(scale: float) -> None:
    """Raising or lowering one p-value moves no other the opposite way."""
    blocks = [[0.01, 0.03], [0.02, 0.2]]
    before = holm_over_families(blocks)
    for number, place in product(range(2), range(2)):
        changed = [list(block) for block in blocks]
        changed[number][place] *= scale
        after = holm_over_families(changed)
        moved = [
            (one - other) * (scale - 1)
            for ones, others in zip(after, before, strict=True)
            for one, other in zip(ones, others, strict=True)
        ]
        assert all(change >= 0 for change in moved)
