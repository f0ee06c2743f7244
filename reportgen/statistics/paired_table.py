"""Yes and no of two classifiers about one class, on the same cases: eight counts."""

from __future__ import annotations

from reportgen.frozen import frozen


@frozen
class Answers:
    """How often both, only one, or neither of two classifiers said yes."""

    both: int
    first_only: int
    second_only: int
    neither: int

    @property
    def first(self) -> int:
        """How often the first said yes."""
        return self.both + self.first_only

    @property
    def second(self) -> int:
        """How often the second said yes."""
        return self.both + self.second_only

    @property
    def total(self) -> int:
        """How many cases there are."""
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def turned(self) -> Answers:
        """The same answers with yes and no exchanged."""
        return Answers(self.neither, self.second_only, self.first_only, self.both)

    def __add__(self, other: Answers) -> Answers:
        """Put the answers about different cases together."""
        return Answers(
            self.both + other.both,
            self.first_only + other.first_only,
            self.second_only + other.second_only,
            self.neither + other.neither,
        )


@frozen
class PairedTable:
    """The answers about cases of the class (positives) and about all others (negatives)."""

    positives: Answers
    negatives: Answers

    @property
    def turned(self) -> PairedTable:
        """The same table with the other cases as the class: NPV here is PPV there."""
        return PairedTable(self.negatives.turned, self.positives.turned)

    @property
    def answering_no(self) -> PairedTable:
        """The same cases with no for yes: the negative likelihood ratio is the positive there."""
        return PairedTable(self.positives.turned, self.negatives.turned)
