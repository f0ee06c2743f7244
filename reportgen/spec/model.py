"""What all tables of a spec have in common."""

from pydantic import BaseModel, ConfigDict


class SpecModel(BaseModel):
    """A table of the spec: typed strictly, without unknown keys, never changed after reading."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        # Validators are made with that of the whole spec, not once for each table.
        defer_build=True,
    )
