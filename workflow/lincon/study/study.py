"""A study as its rules see it: the config, checked, and all that follows from it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lincon.data import kinds
from lincon.policies.own import own_source, own_sources
from lincon.policies.registry import standing
from lincon.study.config import default_study, read_config, validate
from lincon.study.paths import blocks_there, cover
from lincon.study.plan import Experiment, Player, Setting, plan

# A job takes about 0.7 s to start; with rounds of some seconds that is lost in them.
SECONDS = 4.0
# Microseconds per round, measured (docs/engine.md): by engine, and for each arm.
ROUND = {"lazy": (1.0, 0.0002), "dense": (1.0, 0.08), "python": (30.0, 0.1)}
# How many arms a dataset has, a number that few exceed, where only its file knows.
ARMS = 1000


def run_seconds(engine: str, arms: int, horizon: int) -> float:
    """About how long the rounds of one run take."""
    base, per_arm = ROUND[engine]
    return 1e-6 * (base + per_arm * arms) * horizon


def runs_per_job(config: Mapping[str, Any], engine: str, arms: int, horizon: int) -> int:
    """As asked for, or so many that the rounds of a job outlast its start."""
    asked = config["runs_per_job"]
    enough = math.ceil(SECONDS / run_seconds(engine, arms, horizon))
    return max(1, min(enough, config["runs"])) if asked == "auto" else int(asked)


def minutes(jobs: Iterable[tuple[str, int, int, int]]) -> int:
    """Three times what a laptop needs for (engine, arms, horizon, runs), in whole minutes."""
    seconds = sum(run_seconds(engine, arms, T) * runs for engine, arms, T, runs in jobs)
    return math.ceil((10 + 3 * seconds) / 60)


class Study:
    """`UserError` where the config is wrong."""

    def __init__(self, files: Sequence[str | Path], given: Mapping[str, Any]) -> None:
        for file in files:
            read_config(file)
        self.config = config = validate({"study": default_study(files)} | dict(given))
        self.plan = plan(config)
        players = self.plan.players.values()
        self.own_sources = own_sources((player.name, player.entry) for player in players)
        self.sweeps = [name for name, one in self.plan.experiments.items() if one.is_sweep]
        self.plain = [name for name in self.plan.experiments if name not in self.sweeps]

    def arms(self, dataset: str) -> int:
        return kinds.arms_of(self.plan.datasets[dataset]) or ARMS

    def blocks(self, setting: Setting, player: Player, folder: str | Path) -> list[str]:
        """The names of the blocks that hold a policy's runs: those in its folder, and new ones."""
        size = runs_per_job(self.config, player.engine, self.arms(setting[0]), setting[2])
        return cover(blocks_there(folder), self.config["runs"], size)

    def minutes(self, setting: Setting, player: Player, runs: int) -> int:
        """About how long a job may take."""
        return minutes([(player.engine, self.arms(setting[0]), setting[2], runs)])

    def limit(self, setting: Setting, player: Player, runs: int) -> int:
        """The seconds that a run of a user-defined policy may take at most; 0 for others."""
        if player.engine != "python":
            return 0
        default = 60 + 0.01 * setting[2]
        return math.ceil(self.config["policies"][player.name].get("time_limit", default))

    def source(self, player: Player) -> str:
        """The hash of a user-defined policy's code, which no fingerprint covers; '' for others."""
        return self.own_sources.get(own_source(player.entry), "")

    def look(self, name: str, coloured: bool = False) -> dict[str, Any]:
        """What a policy is called, where it is from and what it needs, whether it is a reference,
        and the colour it was given."""
        entry = self.config["policies"][name]
        reference = entry.get("reference") or entry.get("estimator") == "truth"
        look = {"label": entry.get("label", name)} | ({"reference": True} if reference else {})
        look["standing"] = ", ".join(filter(None, standing(entry)[:2]))
        return look | ({"colour": entry["colour"]} if coloured and "colour" in entry else {})

    def looks(self, key: str, policies: Iterable[str] | None = None) -> dict[str, str]:
        """Policy id -> its `label`, or its `colour` if it was given one; of all that play."""
        names = {one: self.plan.players[one].name for one in policies or self.plan.players}
        found = {one: self.look(name, coloured=True) for one, name in names.items()}
        return {one: look[key] for one, look in found.items() if key in look}

    def compared(self, experiment: Experiment) -> list[str]:
        """The ids of the two policies that the claims compare, if both play in an experiment.

        Claims are of one problem, with immediate feedback and means that stay.
        """
        dataset = self.plan.datasets[experiment.points[0].dataset]
        if {"delay", "drift", kinds.COUNTS_AS} & dataset.keys():
            return []
        by_name = {name: policy for policy, name in experiment.points[0].policies.items()}
        compare = self.config.get("compare", [])
        return [by_name[name] for name in compare] if set(compare) <= set(by_name) else []
