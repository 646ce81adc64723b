"""From a config entry and its raw files to arms, for every kind."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from lincon.data import kinds
from lincon.data.arms import COUNTS, POSTERIOR, WARM, Arms, make
from lincon.data.raw import is_placeholder
from lincon.data.stand_in import FACTS, stand_in
from lincon.errors import UserError


def extract(entry: kinds.Entry, raw: Sequence[str | Path], dataset: str) -> Arms:
    """The arms of a dataset.

    Parameters
    ----------
    entry
        Its entry in the config.
    raw
        Paths of its raw files. For a kind that downloads, none or an empty one stands for its
        stand-in arms.
    dataset
        Its name in the config, which keys the random numbers.
    """
    where = f"datasets.{dataset}"
    spec, paths = kinds.parse(entry, where), [Path(path) for path in raw]
    common = {"dataset": dataset, "world": spec.world(), "where": where}
    instead = spec.stand_in and (not paths or any(map(is_placeholder, paths)))
    columns = stand_in(FACTS[spec.stand_in]) if instead else spec.extract(paths)
    arms = _with_counts(make(**common | columns), entry.get(kinds.COUNTS_AS, ()))
    # The number that horizons were checked against.
    if not instead and spec.arm_count() not in (None, len(arms)):
        raise UserError(
            f"{where}.arms is {spec.arm_count()}, but {arms.address or 'its source'} gives "
            f"{len(arms)} arms; give that number, or leave the key out"
        )
    return arms


def _with_counts(arms: Arms, used: Collection[str]) -> Arms:
    """The arms with what an experiment makes of the counts behind their means.

    POSTERIOR: each run draws its means from Beta(1 + successes, 1 + failures), after a flat prior;
    `mean` is then that of the posterior, for what needs one problem. WARM: policies begin with the
    counts.
    """
    if used and not set(COUNTS) <= set(arms.columns):
        raise UserError(
            f"{arms.address or arms.dataset} has no {' and no '.join(COUNTS)}, which "
            f"{' and '.join(used)} needs; give these columns instead of mean"
        )
    if WARM in used:
        arms = replace(arms, start=WARM)
    if POSTERIOR in used:
        successes, trials = (arms.columns[name] for name in COUNTS)
        note = "means drawn in every run from the counts' posterior; shown: posterior means"
        note = "; ".join(filter(None, (arms.note, note)))
        mean = (1 + successes) / (2 + trials)
        arms = replace(arms, mean=mean, means=POSTERIOR, note=note)
    return arms
