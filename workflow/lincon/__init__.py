"""Linearly constrained bandits: data, policies, simulation, statistics and figures.

    import lincon

    arms = lincon.Arms.from_csv("links.csv")
    lincon.solve(arms, floor=0.025)
    lincon.compare(arms, ["lincon_ts", "ts_ledger"], floor=0.025, horizon=10_000).league

These names load pandas, SciPy and Numba when first used; `lincon.online` needs only NumPy.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from lincon.api import Arms, Optimum, Simulation, compare, simulate, solve

__all__ = ["Arms", "Optimum", "Simulation", "compare", "simulate", "solve"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        try:
            from lincon import api
        except ModuleNotFoundError as error:
            sentence = f"lincon.{name} needs {error.name}; install lincon with its extra `workflow`"
            raise ModuleNotFoundError(sentence, name=error.name) from None
        return getattr(api, name)
    raise AttributeError(f"module 'lincon' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
