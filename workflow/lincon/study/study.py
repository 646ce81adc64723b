"""A study as its rules see it: the config, checked, and all that follows from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lincon.data import kinds
from lincon.policies.own import own_source, own_sources
from lincon.policies.registry import standing
from lincon.study.atlas import atlases
from lincon.study.blocks import arms_of, minutes, runs_per_job
from lincon.study.config import default_study, validate
from lincon.study.paths import blocks_there, cover
from lincon.study.plan import Experiment, Player, Setting, plan
from lincon.study.published import published_of
from lincon.study.yaml_text import read_config

# Seconds that a job may take to start and to compile, on a machine that is busy.
START = 120


class Study:
    """`UserError` where the config is wrong."""

    def __init__(self, files: Sequence[str | Path], given: Mapping[str, Any]) -> None:
        for file in files:
            read_config(file)
        self.config = config = validate({"study": default_study(files)} | dict(given))
        self.plan, self.atlases = plan(config), atlases(config)
        played = [player for atlas in self.atlases.values() for player in atlas.players]
        players = [*self.plan.players.values(), *played]
        self.own_sources = own_sources((player.name, player.entry) for player in players)
        experiments = self.plan.experiments
        self.sweeps = [name for name in experiments if experiments[name].is_sweep]
        self.plain = [name for name in experiments if name not in self.sweeps]
        found = {name: published_of(config, self.plan, name) for name in self.plain}
        self.published = {name: runs for name, runs in found.items() if runs}

    def arms(self, dataset: str) -> int:
        """How many arms a dataset has, or a guess that few exceed where only its file knows."""
        return arms_of(self.plan.datasets[dataset])

    def blocks(self, setting: Setting, player: Player, folder: str | Path) -> list[str]:
        """The names of the blocks that hold a policy's runs: those in its folder, and new ones."""
        size = runs_per_job(self.config, player.engine, self.arms(setting[0]), setting[2])
        return cover(blocks_there(folder), self.config["runs"], size)

    def minutes(self, setting: Setting, player: Player, runs: int) -> int:
        """About how long a job may take."""
        return minutes([(player.engine, self.arms(setting[0]), setting[2], runs)])

    def limit(self, setting: Setting, player: Player, runs: int) -> int:
        """The seconds that a job of a user-defined policy may take at most; 0 for others."""
        if player.engine != "python":
            return 0
        default = 60 + 0.01 * setting[2]
        a_run = self.config["policies"][player.name].get("time_limit", default)
        return math.ceil(START + runs * a_run)

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

    def labels(self) -> dict[str, str]:
        """Policy id -> what the policy is called."""
        return {policy: self.look(p.name)["label"] for policy, p in self.plan.players.items()}

    def colours(self, policies: Iterable[str]) -> dict[str, str]:
        """Policy id -> its colour, of those that have one of their own."""
        looks = {one: self.look(self.plan.players[one].name, coloured=True) for one in policies}
        return {one: look["colour"] for one, look in looks.items() if "colour" in look}

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
