"""Problems of bandits with cost subsidy: a mean and a cost per play for each arm, no value.

Published with *Pairwise Elimination with Instance-Dependent Guarantees for Bandits with Cost
Subsidy* (Juneja et al., ICLR 2025): the lowest cost at which the mean stays within a factor
1 - alpha of the best one, the `subsidy_factor` alpha being a line of the file.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from lincon.data.kinds.entry import KIND, FileEntry
from lincon.errors import UserError

MEAN, COST, FACTOR = "arm_reward_array", "arm_cost_array", "subsidy_factor"


class CostSubsidy(FileEntry):
    """an instance of bandits with cost subsidy, a text file of means and costs per play"""

    kind: Literal["cost_subsidy"] = Field(description=KIND)

    columns = ("cost",)

    def extract(self, raw: Sequence[Path]) -> dict[str, Any]:
        path, provenance = self.pinned(raw)
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        texts = {key.strip(): text for key, _, text in (line.partition(":") for line in lines)}
        mean, cost, (factor,) = (_numbers(path, texts, key) for key in (MEAN, COST, FACTOR))
        note = f"the published floor is {(1 - factor) * max(mean):g}"
        value, columns = [0.0] * len(mean), {"cost": cost}
        return provenance | {"mean": mean, "value": value, "columns": columns, "note": note}


def _numbers(path: Path, texts: dict[str, str], key: str) -> list[float]:
    try:
        return [float(text) for text in texts[key].split(",")]
    except (KeyError, ValueError):
        raise UserError(f"{path}: a line `{key}: ` with numbers is needed") from None
