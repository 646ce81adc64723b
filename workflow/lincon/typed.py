"""Typed records of what people write in a config: numbers as they write them, and every mistake as
one sentence that names the key and says what is allowed.

A record is a Pydantic model. Its descriptions and bounds are the source of the JSON schema, of
config/README.md and of the sentences. The text of a validator's `ValueError` goes on after the key,
as in `ValueError("is too long; ...")`, or names a key below it: `ValueError(".low is ...")`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    Strict,
    StringConstraints,
    ValidationError,
    WrapValidator,
    model_validator,
)
from pydantic.fields import FieldInfo

from lincon.errors import UserError, did_you_mean

# Longest part of a value that an error message quotes, in characters.
LONGEST = 200
# Braces are Snakemake's wildcards, - begins an option, and a shell would replace ~.
PATH = r"[^-~{}\x00-\x1f\x7f][^{}\x00-\x1f\x7f]*"
NAME = "a letter, then letters, digits, _ or - (of a file also .), at most 60 in all"


class Record(BaseModel):
    """A mapping whose keys are all declared."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="wrap")
    @classmethod
    def _in_one_sentence(cls, value: Any, check: ModelWrapValidatorHandler[Self]) -> Self:
        """Its first mistake is a `ValueError` with a text as above, as is that of a record in it.

        A misspelt key is found before the one that is missing for it.
        """
        if not isinstance(value, Mapping):
            return check(value)
        fields = {field.alias or name: field for name, field in cls.model_fields.items()}
        for key in value:
            if key not in fields and cls.model_config["extra"] == "forbid":
                raise ValueError(
                    f".{_name(key)} is not a known key{did_you_mean(str(key), fields)}; "
                    f"allowed here: {', '.join(sorted(fields))}"
                )
        try:
            return check(value)
        except ValidationError as refusal:
            # Of the options of a union, the one that parsed furthest.
            error = max(refusal.errors(), key=lambda e: (e["type"] == "value_error", len(e["loc"])))
            at = "".join(f".{_name(part)}" for part in _path(error, value))
            raise ValueError(_sentence(at, error, fields)) from None


Model = TypeVar("Model", bound=BaseModel)


def optional(description: str, **bounds: Any) -> Any:
    """The field of a key that may be left out, and is then not there at all: null is refused."""
    return Field(None, description=description, **bounds)


def plain_number(value: Any) -> Any:
    """The number that a text or a whole float stands for: YAML reads 1e-3 as text."""
    if isinstance(value, str) and "_" not in value:
        try:
            value = float(value)
        except ValueError:
            return value
        if value.is_integer() and abs(value) < 2**53:
            return int(value)
    return value


def _whole(value: Any) -> Any:
    value = plain_number(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _real(value: Any, check: Any) -> int | float:
    """A whole number stays an int, which parameters of Python policies may need; -0.0 becomes 0."""
    value = plain_number(value)
    number: float = check(value)
    return value if isinstance(value, int) else number + 0.0


def _distinct(items: list[Any]) -> list[Any]:
    if any(item in items[:place] for place, item in enumerate(items)):
        raise ValueError(f"is {shown(items)}; no item may be listed twice")
    return items


Whole = Annotated[int, Strict(), BeforeValidator(_whole)]
Real = Annotated[float, Strict(), Field(allow_inf_nan=False), WrapValidator(_real)]
Text = Annotated[
    str, StringConstraints(strict=True, strip_whitespace=True, pattern=r"^[^\x00-\x1f\x7f]+$")
]
PathText = Annotated[str, StringConstraints(strict=True, pattern=f"^{PATH}$", max_length=1000)]
Name = Annotated[
    str,
    StringConstraints(strict=True, pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=60),
    Field(description="a letter, then letters, digits, _ or -, at most 60 in all"),
]
Item = TypeVar("Item")
Distinct = Annotated[list[Item], AfterValidator(_distinct)]


def parsed(model: type[Model], entry: Mapping[str, Any], where: str = "") -> Model:
    """The record of what was given at `where` in the config; `UserError` at the first mistake."""
    try:
        return model.model_validate(entry)
    except ValidationError as refusal:
        sentence = _after(where, refusal.errors()[0]["ctx"]["error"]).removeprefix(".")
        raise UserError(f"config: {sentence}") from None


def _path(error: Any, value: Any) -> Iterator[Any]:
    """The path of a key, without the names that Pydantic gives the options of a union."""
    for part in error["loc"]:
        inside = isinstance(value, Mapping) and part in value
        if inside or (isinstance(value, list | tuple) and isinstance(part, int)):
            yield part
            value = value[part]
        elif error["type"] == "missing":
            yield part


def _sentence(at: str, error: Any, fields: Mapping[str, FieldInfo]) -> str:
    kind, place, value, context = error["type"], error["loc"], error["input"], error.get("ctx", {})
    meaning = fields[place[0]].description if place and place[0] in fields else "a value"
    if kind == "value_error":
        return _after(at, context["error"])
    if kind == "missing":
        return f"{at} is missing; it must be given: {meaning}"
    if kind == "union_tag_not_found":
        return f"{at}.kind is missing; it must be given"
    if kind == "union_tag_invalid":
        at, value = f"{at}.kind", context["tag"]
    choices = re.findall("'(.*?)'", context.get("expected") or context.get("expected_tags", ""))
    if choices:
        guess = did_you_mean(str(value), choices)
        return f"{at} is {shown(value)}{guess}; allowed: {', '.join(choices)}"
    if place[-1:] == ("[key]",):
        return f"{at}: {shown(value)} is not a good name; allowed: {NAME}"
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return f"{at} is {shown(value)}; allowed: a mapping of keys to values"
    bound = re.sub(r"^\w+ should (be |have )?", "", error["msg"])
    return f"{at} is {shown(value)}; allowed: {meaning} ({bound})"


def _after(at: str, text: object) -> str:
    return f"{at}{text}" if str(text).startswith(".") else f"{at} {text}"


def shown(value: object) -> str:
    """The value as an error message quotes it, cut if it is long."""
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text):,} characters)"


def _name(key: object) -> str:
    """A key as sentences show it."""
    return shown(str(key)).strip("'")
