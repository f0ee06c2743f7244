"""The table [about]: what the report is about, for its title block, metadata and site."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from reportgen.errors.spec import INVALID_FORMAT, OUT_OF_RANGE, WRONG_TYPE
from reportgen.spec.fields import ListOf, SingleLine, SpecModel, as_list, custom_error

MAX_UNIT_LENGTH = 40


def _parse_date(value: object) -> object:
    """Return a date; TOML has dates without quotes, and text is read as one too."""
    if isinstance(value, datetime):
        raise custom_error(WRONG_TYPE, "must be a date without a time", "write `2026-11-17`")
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            message = f"is no date: {value!r}"[:80]
            raise custom_error(INVALID_FORMAT, message, "write `2026-11-17`") from None
    return value


def _check_unit(text: str) -> str:
    if len(text) > MAX_UNIT_LENGTH:
        message = f"has more than {MAX_UNIT_LENGTH} characters"
        raise custom_error(OUT_OF_RANGE, message, 'name the cases in the plural, as in "customers"')
    return text


ReportDate = Annotated[date, BeforeValidator(_parse_date, json_schema_input_type=date)]


class About(SpecModel):
    """What the report is about: shown in its title block and in the metadata of the PDF."""

    description: SingleLine | None = Field(
        default=None, examples=["Churn model, release candidate 3"]
    )
    """A sentence about the classifiers or the occasion."""

    authors: Annotated[
        ListOf[SingleLine], BeforeValidator(as_list, json_schema_input_type=str | list[str])
    ] = Field(default=(), examples=[["Risk analytics"]])
    """The people or the department responsible for the report."""

    date: ReportDate | None = Field(default=None, examples=["2026-11-17"])
    """The date of the evaluation. The clock is never used: the same inputs give the same report."""

    version: SingleLine | None = Field(default=None, examples=["rc3"])
    """The version of the classifiers or of the evaluation."""

    data: SingleLine | None = Field(
        default=None, examples=["CRM extract, January to June, one row per customer"]
    )
    """Where the cases come from."""

    tags: Annotated[
        ListOf[SingleLine], BeforeValidator(as_list, json_schema_input_type=str | list[str])
    ] = Field(default=(), examples=[["churn", "monthly"]])
    """Words by which the published site filters its reports."""

    unit: Annotated[SingleLine, AfterValidator(_check_unit)] | None = Field(
        default=None, examples=["customers"]
    )
    """What the cases are called in sentences, in the plural."""

    intended_use: SingleLine | None = Field(
        default=None, examples=["Ranking of customers for calls; not for pricing"]
    )
    """What the classifiers are for, and what they are not for; in the data card."""

    limitations: Annotated[
        ListOf[SingleLine], BeforeValidator(as_list, json_schema_input_type=str | list[str])
    ] = Field(default=(), examples=[["Customers of one country", "No new tariffs"]])
    """What the data do not cover; in the data card."""

    hub_task: SingleLine | None = Field(default=None, examples=["text-classification"])
    """The task id of the Hugging Face Hub, in model cards; by default `other`."""

    hub_dataset: SingleLine | None = Field(default=None, examples=["example/churn"])
    """The data set id of the Hugging Face Hub, in model cards."""
