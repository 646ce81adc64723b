"""Everything about one experiment that is no sweep: what figures, page and tables are made of.

It is kept in one folder, `tables/{experiment}/`, and read back from that folder alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from lincon.analysis import claims_text, league_text, slopes
from lincon.analysis.claims import COLUMNS as CLAIM_COLUMNS
from lincon.analysis.layout import FRAMES
from lincon.data.arms import METADATA, Arms
from lincon.data.arms import make as make_arms
from lincon.errors import UserError
from lincon.files import damaged, read_frame, write_frame, write_text
from lincon.problem.record import Problem

FACTS = ("name", "title", "policies", "scalars", "unit", "scale", "code", "metadata", "bands")

POINTWISE, SIMULTANEOUS = "pointwise", "simultaneous"
NO_CLAIMS = """# Claims

None are checked here: the two policies that `compare` names in the config do not both play.
"""


@dataclass(frozen=True)
class Results:
    """`policies` maps ids to {"label", "colour"?, "reference"?}, in the order of the legend.

    A reference is a policy that knows the truth: it is drawn and listed, not ranked. `code` is the
    fingerprint of the code that played the runs, `metadata` all that their files have in common.
    """

    name: str
    title: str
    problem: Problem
    arms: Arms
    policies: dict[str, dict[str, Any]]
    summary: pd.DataFrame
    theory: pd.DataFrame
    scalars: dict[str, float | int | None]
    plays: pd.DataFrame
    outcomes: pd.DataFrame
    league: pd.DataFrame
    slopes: pd.DataFrame
    claims: pd.DataFrame | None = None
    unit: str = ""
    scale: float = 1.0
    code: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    bands: str = POINTWISE

    @cached_property
    def labels(self) -> dict[str, str]:
        return {policy: str(look.get("label", policy)) for policy, look in self.policies.items()}

    @cached_property
    def horizon(self) -> int:
        return int(self.summary["t"].max())

    @cached_property
    def runs(self) -> int:
        return int(self.summary["n_runs"].iloc[0])

    @cached_property
    def references(self) -> tuple[str, ...]:
        return tuple(p for p, look in self.policies.items() if look.get("reference"))

    def rows(self, metric: str, basis: str) -> pd.DataFrame:
        """The summary of one metric on one basis."""
        chosen = (self.summary["metric"] == metric) & (self.summary["basis"] == basis)
        return self.summary[chosen]

    @cached_property
    def answer(self) -> list[str]:
        """Which policy, on these arms, at this floor, and what it will cost: three sentences."""
        return league_text.answer(
            self.league,
            self.problem,
            self.arms,
            self.labels,
            self.horizon,
            self.title,
            self.unit,
            self.scale,
        )

    def coloured(self, colours: Mapping[str, str]) -> Results:
        """With colours for policies, which no table depends on and none of its files holds."""
        policies = {
            policy: look | ({"colour": colours[policy]} if policy in colours else {})
            for policy, look in self.policies.items()
        }
        return replace(self, policies=policies)

    def save(self, folder: str | Path) -> None:
        """Frames as Parquet, the rest as JSON, and for readers Markdown and LaTeX."""
        folder = Path(folder)
        provenance = self.metadata | {"code": self.code, "note": self.problem.note}
        for name in FRAMES:
            frame = getattr(self, name)
            if frame is None:
                frame = pd.DataFrame(columns=list(CLAIM_COLUMNS))
            write_frame(folder / f"{name}.parquet", frame, provenance)
        facts = {name: getattr(self, name) for name in FACTS}
        facts["problem"] = json.loads(self.problem.to_json())
        facts["arms"] = {key: getattr(self.arms, key) for key in METADATA}
        facts["claims"] = self.claims is not None
        write_text(
            folder / "league.md", league_text.to_markdown(self.league, self.labels, self.answer)
        )
        write_text(
            folder / "league.tex", league_text.to_latex(self.league, self.labels, self.problem)
        )
        write_text(folder / "slopes.md", slopes.to_markdown(self.slopes, self.problem, self.labels))
        write_text(folder / "slopes.tex", slopes.to_latex(self.slopes, self.problem, self.labels))
        text, latex = NO_CLAIMS, "% No claims are checked here.\n"
        if self.claims is not None:
            text = claims_text.to_markdown(self.claims, self.problem, self.labels)
            latex = claims_text.to_latex(self.claims, self.problem, self.labels)
        write_text(folder / "claims.md", text)
        write_text(folder / "claims.tex", latex)
        # Last: where it is, all is there.
        write_text(folder / "results.json", json.dumps(facts, indent=2) + "\n")

    @classmethod
    def load(cls, folder: str | Path) -> Results:
        folder = Path(folder)
        path = folder / "results.json"
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
            problem = Problem.from_json(json.dumps(facts["problem"]))
            known = {name: facts[name] for name in FACTS}
            arms = {key: facts["arms"][key] for key in METADATA}
            claims = bool(facts["claims"])
        except FileNotFoundError:
            raise UserError(f"{folder} holds no results: results.json is not there") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(damaged(path, "the record of an experiment", error)) from None
        frames: dict[str, pd.DataFrame | None] = {
            name: read_frame(folder / f"{name}.parquet", f"the {name} of an experiment")
            for name in FRAMES
            if name != "claims" or claims
        }
        theory = frames["theory"]
        assert theory is not None
        return cls(
            problem=problem,
            arms=make_arms(
                theory["mean"].to_numpy(),
                theory["value"].to_numpy(),
                theory["label"].tolist(),
                **arms,
            ),
            **known,
            **frames,  # type: ignore[arg-type]
        )


def make_results(
    name: str,
    title: str,
    policies: Mapping[str, Mapping[str, Any]],
    problem: Problem,
    arms: Arms,
    summary: pd.DataFrame,
    analysis: Mapping[str, Any],
    metadata: Mapping[str, str] | None = None,
    unit: str = "",
    scale: float = 1.0,
    bands: str = POINTWISE,
) -> Results:
    """Results of `analyse` and of a setting's summary, which may hold other policies besides.

    With simultaneous bands, the intervals of the summary are those that hold whole curves.
    """
    known = dict(metadata or {})
    kept = summary[summary["policy"].isin(list(policies))].reset_index(drop=True)
    if bands == SIMULTANEOUS:
        kept = kept.assign(ci_low=kept["sup_low"], ci_high=kept["sup_high"])
    return Results(
        name=name,
        title=title,
        problem=problem,
        arms=arms,
        policies={policy: dict(look) for policy, look in policies.items()},
        summary=kept,
        unit=unit,
        scale=scale,
        code=known.get("code", ""),
        metadata=known,
        bands=bands,
        **analysis,
    )
