"""A spec to start from that fits given prediction files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.drafting.guessing import Guess, guess
from reportgen.drafting.units import find_units
from reportgen.errors import DataError, Fault, Place, SpecError
from reportgen.errors.data_faults import ROLES_UNCLEAR
from reportgen.frozen import frozen
from reportgen.predictions.presets.catalogue import PRESETS
from reportgen.predictions.reading import read_predictions
from reportgen.spec import parse_spec
from reportgen.spec.toml_text import toml_setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_KEYS = (
    *("format", "truth", "prediction", "score", "probabilities", "fold", "id", "labels"),
    "threshold",
)
_COMMENTS = {"threshold": "a guess: there are no predictions, so they come from the score"}
_FIRST = 3
_MOST_NAMES = 4


@frozen
class FirstSpec:
    """A spec to start from, and why it cannot be built as it is, if that is so."""

    text: str
    troubles: tuple[str, ...] = ()


def spec_for_files(paths: Sequence[Path], folder: Path) -> FirstSpec:
    """Return a spec for prediction files, with paths relative to the folder it will be in."""
    guessed = guess(find_units(paths))
    troubles = tuple(_troubles(guessed, paths))
    return FirstSpec("\n".join(_lines(guessed, folder, troubles)) + "\n", troubles)


def _troubles(guessed: Guess, paths: Sequence[Path]) -> list[str]:
    """Return why the spec cannot be built as it is, if that is so."""
    # With paths from here, because the folder of the spec may not exist yet.
    text = "\n".join(_lines(guessed, Path(), []))
    try:
        read_predictions(parse_spec(Path("reportgen.toml"), text.encode()))
    except SpecError as error:
        message = f"a spec cannot name this file or what is in it: {error.faults[0].message}"
        help_text = "rename the file, the column or the label"
        raise DataError(Fault(ROLES_UNCLEAR, message, Place(paths[0]), help_text)) from error
    except DataError as error:
        return [
            f"{fault.kind.code}: {fault.message}" + (f" ({fault.help})" if fault.help else "")
            for fault in error.faults[:_FIRST]
        ]
    return []


def _lines(guessed: Guess, folder: Path, troubles: Sequence[str]) -> Iterator[str]:
    yield "# Written by `reportgen init` from the columns of the prediction files: please check it."
    if troubles:
        yield "# It cannot be built as it is, because of:"
        yield from (f"# - {json.dumps(trouble, ensure_ascii=False)[1:-1]}" for trouble in troubles)
    yield ""
    yield toml_setting("title", _title([each.name for each in guessed.classifiers]))
    yield ""
    yield "[task]"
    unsure = "" if guessed.certain else "    # a guess: the truth is made of whole numbers"
    yield f"{toml_setting('kind', guessed.kind)}{unsure}"
    if guessed.positive is not None:
        positive = toml_setting("positive", guessed.positive)
        yield f"{positive}    # a guess: name the class you look for"
    settings = [_relative_labels(each.settings, folder) for each in guessed.classifiers]
    shared = {
        key: value
        for key, value in settings[0].items()
        if all(own.get(key) == value for own in settings)
    }
    yield ""
    yield "[data]"
    yield from _settings(shared)
    for classifier, own in zip(guessed.classifiers, settings, strict=True):
        yield ""
        yield "[[classifiers]]"
        yield toml_setting("name", classifier.name)
        written = [_relative(path, folder) for path in classifier.predictions]
        yield toml_setting("predictions", written[0] if len(written) == 1 else written)
        yield from _settings({key: own[key] for key in own if key not in shared})


def _settings(settings: Mapping[str, str | float]) -> Iterator[str]:
    for key in _KEYS:
        if key in settings:
            if key == "format":
                yield from _format_comments(settings[key])
            comment = f"    # {_COMMENTS[key]}" if key in _COMMENTS else ""
            yield f"{toml_setting(key, settings[key])}{comment}"


def _format_comments(name: str | float) -> Iterator[str]:
    """Yield what a tool's format means, and that it can be overruled."""
    preset = PRESETS[str(name)]
    yield f"# {preset.title}:"
    yield f"# {preset.meaning}."
    yield "# Keys beside it, as `truth`, count more."


def _title(names: Sequence[str]) -> str:
    shown = list(names) if len(names) <= _MOST_NAMES else list(names[: _MOST_NAMES - 1])
    more = len(names) - len(shown)
    *first, last = (*shown, f"{more} more") if more else shown
    return f"Evaluation of {', '.join(first)} and {last}" if first else f"Evaluation of {last}"


def _relative_labels(settings: Mapping[str, str | float], folder: Path) -> dict[str, str | float]:
    own = dict(settings)
    if "labels" in own:
        own["labels"] = _relative(str(own["labels"]), folder)
    return own


def _relative(path: str, folder: Path) -> str:
    relative = Path(os.path.relpath(Path(path).resolve(), folder.resolve())).as_posix()
    # With a dot, because `data:x.csv` would be taken for an address.
    return f"./{relative}" if ":" in relative else relative
