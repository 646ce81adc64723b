"""The records of the config, key by key: the one source of its JSON schema, of config/README.md and
of the sentences that refuse a mistake.

The keys of a dataset are declared by its kind (lincon.data.kinds), those of a policy by its parts
(lincon.policies.parts).
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeVar, Union

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    JsonValue,
    Tag,
    create_model,
    model_validator,
)
from typing_extensions import TypeAliasType

from lincon.data import kinds
from lincon.policies.parts import MEANINGS, TABLES, Needs, Origin
from lincon.policies.registry import refusal_of_gone
from lincon.study.style import Style
from lincon.typed import PATH, Distinct, Name, Real, Record, Text, Whole, optional

# --- what may be swept

Value = TypeVar("Value")
Rounds = Annotated[Whole, Field(ge=1, le=10**12)]
Rate = Annotated[Real, Field(ge=0, le=1)]


class Range(Record):
    """Evenly spaced values, both ends included."""

    low: Real = Field(description="first value")
    high: Real = Field(description="last value")
    count: Whole = Field(ge=2, le=10_000, description="how many values")


def spread(value: Any) -> Any:
    """A range as the list of its values, each of which is then checked; anything else as it is."""
    if not isinstance(value, Mapping):
        return value
    limits = Range.model_validate(value)
    low, high, last = float(limits.low), float(limits.high), limits.count - 1
    step = (high - low) / last
    # By multiples of the step, as numpy.linspace; 12 digits drop what rounding leaves.
    spaced = [*(place * step + low for place in range(last)), high]
    return [float(f"{x:.12g}") for x in spaced]


# A range is among the options for the schema alone.
Swept = Annotated[
    Value | Annotated[Distinct[Value], Field(min_length=2)] | Range, BeforeValidator(spread)
]
Numbers = TypeAliasType("Numbers", Swept[Real])

# --- datasets and policies, whose keys are declared where they are used

Dataset: Any = Annotated[
    Union[tuple(kinds.KINDS.values())],  # noqa: UP007
    Field(discriminator="kind", description="where arms come from"),
]


class Looks(Record):
    label: Text = optional("the name shown in figures and tables")
    colour: Annotated[str, Field(pattern="^#[0-9A-Fa-f]{6}$")] = optional(
        "how it is drawn, as #RRGGBB"
    )
    origin: Origin = optional("how it relates to its paper; by default that of its parts")
    needs: Needs = optional("what it must know; by default that of its parts")
    differs: Text = optional("what differs from its paper, in a clause")


class PythonPolicy(Looks, extra="allow"):
    """A user's class; the further keys are its arguments."""

    __pydantic_extra__: dict[str, JsonValue]

    python: Annotated[str, Field(pattern=rf"^{PATH}:[A-Za-z_]\w*$")] = Field(
        description="a user-defined policy, FILE.py:CLASS or MODULE:CLASS"
    )
    time_limit: Annotated[Real, Field(gt=0, le=1e7)] = optional(
        "of a user-defined policy: seconds that a run may take; by default a minute, "
        "and 10 ms per round"
    )


def _of_parts() -> dict[str, Any]:
    """The choices that make a policy, then the numbers of its parts."""
    fields: dict[str, Any] = {
        kind: (Literal[tuple(table)], optional(MEANINGS[kind])) for kind, table in TABLES.items()
    }
    for kind, table in TABLES.items():
        for part in table.values():
            for one in part.parameters:
                owner = f"{kind}s" if one.name in fields else part.name
                bound = {"gt" if one.positive else "ge": 0}
                fields[one.name] = Real, optional(f"{owner}: {one.description}", **bound)
    return fields


Parts: Any = create_model("Parts", __base__=Looks, **_of_parts())


def _refuse_gone(entry: Any) -> Any:
    """Refuse a choice of an earlier version with one sentence that says what to write instead."""
    if isinstance(entry, Mapping) and (sentence := refusal_of_gone(entry)):
        raise ValueError(sentence)
    return entry


def _which(entry: Any) -> str:
    return "a class" if isinstance(entry, Mapping) and "python" in entry else "parts"


Policy: Any = Annotated[
    Annotated[PythonPolicy, Tag("a class")] | Annotated[Parts, Tag("parts")],
    Discriminator(_which),
    BeforeValidator(_refuse_gone),
    Field(
        description="an estimator, what the LP asks for, and their parameters; or a Python class"
    ),
]

# --- what is played

TOLERANCE = (
    "by how much the average may miss the bound and still count as kept, 0 for strict; by default "
    "one standard deviation of an oracle's average, plus what forced first plays cost it"
)

Players = Annotated[Distinct[Name], Field(min_length=1)]


# A number as text is not a column's name.
Amount = Annotated[Real | Annotated[Text, Field(max_length=100)], Field(union_mode="left_to_right")]


class Objective(Record):
    value: Amount = Field(
        "value", description="what an event earns: a number, or a column of the arms"
    )
    cost: Amount = optional(
        "what a play costs: a number, or a column of the arms; by default the column "
        "cost where there is one"
    )

    @model_validator(mode="after")
    def _varies(self) -> Self:
        if self.value == 0 and "cost" in self.model_fields_set and not isinstance(self.cost, str):
            raise ValueError("is the same for every arm; give a value, or a column as the cost")
        return self


class Constraint(Record):
    name: Name = Field(description="its name in tables, axes and folders, such as clicks")
    per_event: Amount = Field(0, description="its amount per event: a number, or a column")
    per_play: Amount = Field(0, description="its amount per play: a number, or a column")
    at_least: Numbers = optional("the lowest average amount per play allowed")
    at_most: Numbers = optional("the highest average amount per play allowed")
    kind: Text = optional("the kind of request to which it applies; by default all")
    tolerance: Real = optional(TOLERANCE, ge=0)

    @model_validator(mode="after")
    def _has_one_bound(self) -> Self:
        if ("at_least" in self.model_fields_set) == ("at_most" in self.model_fields_set):
            raise ValueError("needs either at_least or at_most; give one of them")
        if self.per_event == 0 and not isinstance(self.per_play, str):
            raise ValueError(
                "has the same amount for every arm; give per_event, or a column as per_play"
            )
        return self


class OneExperiment(Record):
    label: Text = optional("the title of its figures")
    dataset: Text = Field(description="the name of a dataset above")
    eta: Swept[Rate] = optional(
        "the event rate that must be kept, in [0, 1]; short for one constraint "
        "{name: floor, per_event: 1, at_least: ETA}; a list or a range makes a sweep"
    )
    constraints: Annotated[list[Constraint], Field(min_length=1, max_length=8)] = optional(
        "what must hold on average, instead of eta; at most eight"
    )
    objective: Objective = optional("what is maximised: value per event minus cost per play")
    tolerance: Real = optional(f"of eta: {TOLERANCE}", ge=0)
    horizon: Swept[Rounds] = Field(
        description="rounds to play, at least the number of arms; a list or a range makes a sweep"
    )
    means: Literal["observed", "posterior"] = Field(
        "observed",
        description="posterior: every run draws its means from the counts behind them, the columns "
        "successes and trials, and has its own optimum; the answer then holds for arms like these",
    )
    start: Literal["cold", "warm"] = Field(
        "cold",
        description="warm: policies begin with the counts, the columns successes and trials, as "
        "what they believe, and no arm is played just to try it; the dense engine plays it",
    )
    policies: Players = Field(description="which policies play, in the order of the legend")
    parameters: dict[str, dict[str, Numbers]] = Field(
        {}, description="policy parameters to replace or sweep, by policy"
    )

    @model_validator(mode="after")
    def _has_one_goal(self) -> Self:
        keys = {"eta", "constraints", "tolerance"} & self.model_fields_set
        if ("eta" in keys) == ("constraints" in keys):
            raise ValueError("needs either eta or constraints; give one of them")
        if keys >= {"tolerance", "constraints"}:
            raise ValueError(".tolerance belongs to eta; give each of the constraints its own")
        fields = type(self).model_fields
        taken = {"eta", *(fields[key].alias or key for key in self.model_fields_set)}
        names = [one.name.lower() for one in self.constraints or ()]
        for place, name in enumerate(names):
            if name in (*taken, *names[:place]):
                raise ValueError(
                    f".constraints.{place}.name is {name!r}, which another constraint or key of "
                    "the experiment has; names must differ"
                )
        return self


# Any number of a dataset can be replaced or swept; `rates.high` is not a Python name.
NUMBERS: dict[str, Any] = {
    key.replace(".", "_"): (Numbers, optional(meaning, alias=key))
    for key, meaning in kinds.all_swept().items()
}
Experiment: Any = create_model("Experiment", __base__=OneExperiment, **NUMBERS)


class Config(Record):
    """What to compute. How to compute it (cores, memory, queues) belongs in profiles/."""

    data: Literal["auto", "real", "standin"] = Field(
        "auto",
        description="auto: real data if they can be downloaded, otherwise the stand-in; real: fail "
        "without them; standin: no network",
    )
    study: Name = optional(
        "the folder below results/studies, a letter, then letters, digits, _ or -; by "
        "default the name of the config file"
    )
    seed: Whole = Field(2020, ge=0, le=2**53, description="base seed of all randomness")
    runs: Whole = Field(16, ge=1, le=10**6, description="independent runs of every setting")
    runs_per_job: Annotated[Whole, Field(ge=1, le=10**6)] | Literal["auto"] = Field(
        1, description="how many runs a job plays, or auto: enough that a job takes a few seconds"
    )
    record: Literal["series", "plays"] = Field(
        "series",
        description="series: sums at the recorded rounds; plays: also the arm of every round",
    )
    points: Whole = Field(
        200,
        ge=2,
        le=10**6,
        description="how many rounds of a run are recorded, half evenly and half log-spaced",
    )
    engine: Literal["lazy", "dense"] = Field(
        "lazy", description="lazy: exact in law and fast; dense: every arm in every round"
    )
    compare: Annotated[Distinct[Name], Field(min_length=2, max_length=2)] = optional(
        "the two policies that the claims compare, challenger first"
    )
    only: Players = optional("run these experiments alone; by default all of them")
    style: Style = optional(
        "how figures look; changing it redraws figures and computes nothing else"
    )
    datasets: dict[Name, Dataset] = Field(min_length=1, description="the datasets by name")
    policies: dict[Name, Policy] = Field(
        {},
        description="policies by name: further ones, or other keys for the standard ones, which "
        "need not be listed (docs/policies.md)",
    )
    experiments: dict[Name, Experiment] = Field(min_length=1, description="the experiments by name")
