"""Frozen dataclasses with slots, made in a quarter of the time.

A small report needs a hundred such classes before it starts. For each of them `dataclasses` writes
and compiles six functions; here it is one, and the others are the same for all classes.
"""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, NoReturn, TypeVar, cast, dataclass_transform, overload

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ClassVar, Protocol

    from _typeshed import DataclassInstance

    class Made(DataclassInstance, Protocol):
        """What is frozen knows which of its values it is compared by."""

        compared_by: ClassVar[attrgetter[object]]


Kind = TypeVar("Kind")


@overload
def frozen(kind: type[Kind], /) -> type[Kind]: ...


@overload
def frozen(*, kw_only: bool) -> Callable[[type[Kind]], type[Kind]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(
    kind: type[Kind] | None = None, /, *, kw_only: bool = False
) -> type[Kind] | Callable[[type[Kind]], type[Kind]]:
    """Do what `dataclass(frozen=True, slots=True)` does."""

    def made(plain: type[Kind]) -> type[Kind]:
        slotted = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(plain)
        for name, method in {**SHARED, **_own(cast("type[Made]", slotted))}.items():
            if name not in vars(slotted):
                setattr(slotted, name, method)
        return slotted

    return made if kind is None else made(kind)


def _own(kind: type[Made]) -> dict[str, Callable[..., object]]:
    """Return what differs from class to class."""
    compared = (each.name for each in fields(kind) if each.compare)
    return {"__init__": _constructor(kind), "compared_by": attrgetter("__class__", *compared)}


def _constructor(kind: type[Made]) -> Callable[..., object]:
    """Compile a constructor, which fills the slots directly, past what refuses changes."""
    known: dict[str, object] = {"MISSING": MISSING}
    parameters: dict[bool, list[str]] = {False: ["self"], True: []}
    lines = []
    for each in fields(kind):
        name = each.name
        known[f"set_{name}"] = getattr(kind, name).__set__
        parameter, value = name, name
        if each.default is not MISSING:
            known[f"default_{name}"] = each.default
            parameter = f"{name}=default_{name}"
        elif each.default_factory is not MISSING:
            known[f"make_{name}"] = each.default_factory
            parameter, value = f"{name}=MISSING", f"make_{name}() if {name} is MISSING else {name}"
        parameters[each.kw_only is True].append(parameter)
        lines.append(f" set_{name}(self, {value})")
    if hasattr(kind, "__post_init__"):
        lines.append(" self.__post_init__()")
    if parameters[True]:
        parameters[True].insert(0, "*")
    head = f"def __init__({', '.join(parameters[False] + parameters[True])}):"
    made: dict[str, Callable[..., object]] = {}
    exec("\n".join([head, *lines, " return"]), known, made)  # noqa: S102  # from our own names
    made["__init__"].__qualname__ = f"{kind.__qualname__}.__init__"
    return made["__init__"]


def _equal(self: Made, other: object) -> object:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self.compared_by(self) == self.compared_by(other)


def _hash(self: Made) -> int:
    return hash(self.compared_by(self))


def _repr(self: Made) -> str:
    values = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{self.__class__.__qualname__}({', '.join(values)})"


def _refuse(self: Made, name: str, *_value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot change {name!r} of a {self.__class__.__qualname__}")


def _state(self: Made) -> list[object]:
    return [getattr(self, each.name) for each in fields(self)]


def _restore(self: Made, state: list[object]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


SHARED: dict[str, Callable[..., object]] = {
    "__eq__": _equal,
    "__hash__": _hash,
    "__repr__": _repr,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    # Without these, a copy from another process would be filled one attribute after another.
    "__getstate__": _state,
    "__setstate__": _restore,
}
