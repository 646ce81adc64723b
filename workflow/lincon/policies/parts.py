"""Every choice that makes up a policy, declared once.

Schema rows, codes and error sentences come from here; docs/policies.md is tested against it. The
kernels behind the names are in `estimators`, `control` and `selectors`. Loads without NumPy and
Numba.

Notation: n_i plays and s_i events of arm i before round t, m_i = s_i / n_i, theta_i the belief,
g_i = value_i theta_i - cost_i, h_ij = a_ij theta_i + b_ij the amount of constraint j, which is to
average at least e_j (the paper: h_i = theta_i, e = eta); N arms, horizon T, S_j the amount so far.
Each arm is played once first, unless said otherwise. "Chosen here" marks a constant that its paper
leaves open or that could not be checked against it.
"""

from collections import namedtuple
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal, get_args

from lincon.data.supported import LARGEST, SMALLEST, proper
from lincon.errors import UserError

# Each in the order of precedence among the parts of a policy.
Origin = Literal["as published", "adapted", "ours"]
Needs = Literal["anytime", "needs T", "needs a gap", "knows the means"]
ORIGINS, NEEDS = get_args(Origin), get_args(Needs)
# With kinds of request a ledger of fixed target asks the LP for e_j + REPAY [e_j t - S_j]_+ / t, so
# as to repay a shortfall in 1 / REPAY of the rounds so far. Chosen here (docs/policies.md).
REPAY = 2.0


@dataclass(frozen=True)
class Parameter:
    """A number of a policy part, at least 0, or above 0 if it must be positive."""

    name: str
    default: float
    description: str
    positive: bool = False

    def check(self, given: Any, where: str) -> float:
        """The number that was given, or a `UserError` that says what is allowed."""
        if proper(given) and (given > 0 or (given == 0 and not self.positive)):
            return float(given)
        least = "above 0" if self.positive else "of at least 0"
        raise UserError(
            f"{where}: {given!r} is not a number {least}; numbers from {SMALLEST:g} to "
            f"{LARGEST:g}, and 0, are supported"
        )


@dataclass(frozen=True)
class Part:
    """One choice of a policy: what it computes and its source.

    `origin` says how far it is from what its reference published, `needs` whether it must know the
    horizon T or a gap of the problem. The dense engine plays every part, the lazy one those that
    are `lazy`.
    """

    name: str
    description: str
    reference: str
    parameters: tuple[Parameter, ...] = ()
    lazy: bool = True
    origin: Origin = "as published"
    needs: Needs = "anytime"

    @property
    def defaults(self) -> dict[str, float]:
        return {parameter.name: parameter.default for parameter in self.parameters}


def checked_parameters(
    parts: Iterable[Part], given: Mapping[str, Any], where: str
) -> dict[str, float]:
    """All parameters of the parts: as given, otherwise the defaults."""
    declared = {parameter.name: parameter for part in parts for parameter in part.parameters}
    for name in given:
        if name not in declared:
            has = ", ".join(declared) or "none"
            raise UserError(f"{where}.{name}: it has no such parameter (it has: {has})")
    return {
        name: parameter.check(given.get(name, parameter.default), f"{where}.{name}")
        for name, parameter in declared.items()
    }


PAPER = "Saxena, Gonzalez, Jaldén, AISTATS 2020"


def table(*parts: Part) -> dict[str, Part]:
    return {part.name: part for part in parts}


EXPLORE = Parameter(
    "explore",
    1.0,
    "how much it explores: every count n_i and s_i is divided by it; 1 is as published",
    positive=True,
)

ESTIMATORS = table(
    Part(
        "beta_sample",
        "theta_i ~ Beta(a + s_i, b + n_i - s_i), where the prior is Beta(a, b)",
        f"Thompson 1933; {PAPER} (LinConTS)",
        (EXPLORE,),
    ),
    Part(
        "kl_ucb",
        "theta_i = max{q : n_i d(m_i, q) <= log t + c log log t}",
        "Garivier, Cappé, COLT 2011",
        (EXPLORE, Parameter("c", 0.0, "weight of log log t")),
    ),
    Part(
        "ucb1",
        "theta_i = min(1, m_i + sqrt(2 log t / n_i))",
        "Auer, Cesa-Bianchi, Fischer, Machine Learning 2002; with explore = 0.75 the index of "
        "Con-UCB (Chen et al., IJCAI 2018), which plays L arms per round; here L = 1",
        (EXPLORE,),
    ),
    Part(
        "truth",
        "theta_i = mu_i, the true mean",
        "the oracle of the regret's definition",
        needs="knows the means",
    ),
    Part(
        "gittins",
        "the q with q - E theta_i = (H - 1) E[(theta_i - q)+] of theta_i ~ Beta(a + s_i, "
        "b + n_i - s_i), where the prior is Beta(a, b) and H is reach (T - t + 1), "
        "times the share of the arm's kind of request, rounded down to a power of 1.02; no arm is "
        "forced",
        "after Gutin, Farias, NeurIPS 2016 (optimistic Gittins index with one step of lookahead; "
        "there for discounted rewards, with H = t)",
        (
            EXPLORE,
            Parameter(
                "reach",
                0.3,
                "for which part of the rounds left a discovery is valued (chosen here)",
                positive=True,
            ),
        ),
        lazy=False,
        origin="adapted",
        needs="needs T",
    ),
    Part(
        "none",
        "no belief: every arm with probability 1 / N, and no arm is forced",
        "baseline",
        lazy=False,
    ),
)

# The prior of beta_sample and gittins.
PRIORS = table(
    Part("uniform", "Beta(1, 1)", PAPER),
    Part(
        "beta",
        "Beta(prior_a, prior_b)",
        "Thompson 1933",
        (
            Parameter("prior_a", 1.0, "first shape of the prior", positive=True),
            Parameter("prior_b", 1.0, "second shape of the prior", positive=True),
        ),
    ),
    Part(
        "learned",
        "Beta(a, b) fitted to the counts of all arms: the largest beta-binomial likelihood times "
        "exp(-(log(a)^2 + log(b)^2) / (2 spread^2)); counts are then multiplied by "
        "1 + ramp N^2 / t, so that it explores little while plays per arm, t / N, are few for so "
        "many arms, and as published later on; both are set after the forced plays (gittins: in "
        "round 20) and again whenever t has grown by 30%",
        "lincon: empirical Bayes",
        (
            Parameter(
                "spread",
                2.0,
                "standard deviation of log a and log b around 0: how far from Beta(1, 1)",
                positive=True,
            ),
            Parameter("ramp", 3.0, "weight of N^2 / t in the counts' factor"),
        ),
        origin="ours",
    ),
)

# Which amounts the LP asks for in round t.
TARGETS = table(
    Part("fixed", "e_j", PAPER),
    Part(
        "paced",
        "(e_j T - S_j) / (T - t + 1), within what arms can have",
        "after Ferreira, Simchi-Levi, Wang, Operations Research 2018 (TS-update)",
        origin="adapted",
        needs="needs T",
    ),
    Part("none", "as little as arms can have: the arm of the largest g_i", "no constraint"),
)

# How the mixture becomes an arm.
STEERINGS = table(
    Part("draw", "drawn from the mixture", PAPER),
    Part(
        "ledger",
        "while any amount is short of e_j t + reserve log t - allowance sigma_j sqrt(t) "
        "(1 - t / T), the mixture's arm that repays most; otherwise the one of the largest g_i. "
        "sigma_j is the largest standard deviation that an amount of mean e_j can have",
        "lincon; for known means and one resource ControlBudget (Kumar, Kleinberg, NeurIPS 2022) "
        "has this rule with a falling threshold, which needs T",
        (
            Parameter("reserve", 1.0, "weight of log t"),
            Parameter("allowance", 0.0, "how far behind it may be on the way to T (chosen here)"),
        ),
        origin="ours",
    ),
)

# What is played where no mixture meets the target.
FALLBACKS = table(
    Part("uniform", "every arm with probability 1 / N", PAPER),
    Part("greedy", "the arm that comes closest to the target", "lincon", origin="ours"),
)

TABLES: dict[str, dict[str, Part]] = {
    "estimator": ESTIMATORS,
    "prior": PRIORS,
    "target": TARGETS,
    "steering": STEERINGS,
    "fallback": FALLBACKS,
}
MEANINGS = {
    "estimator": "what the policy believes about the means",
    "prior": "what beta_sample and gittins believe before any play; uniform where not given",
    "target": "which amounts the LP asks for; fixed where not given",
    "steering": "how the LP's mixture becomes an arm; draw where not given",
    "fallback": "what is played where no mixture meets the target; uniform where not given",
}
# Optional choices (by default the first of their tables): (choice, another choice, the parts of
# the latter that allow it).
_LEARNING = tuple(name for name in ESTIMATORS if name != "none")
GOES_WITH: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("prior", "estimator", ("beta_sample", "gittins")),
    *((kind, "estimator", _LEARNING) for kind in ("target", "steering", "fallback")),
    *((kind, "target", ("fixed", "paced")) for kind in ("steering", "fallback")),
)

# Choices of earlier versions, and what to write instead of each.
_EXAMPLE = "write `python: config/examples/{}` instead".format
GONE: dict[tuple[str, str], str] = {
    ("selector", "lp"): "leave the key out",
    ("selector", "argmax"): "write `target: none`",
    ("selector", "uniform"): "write `estimator: none`",
    ("selector", "amounts"): "write `fallback: greedy` with a high threshold",
    ("selector", "queue"): _EXAMPLE("virtual_queue.py:VirtualQueue"),
    ("selector", "primal_dual"): _EXAMPLE("primal_dual_bwk.py:PrimalDualBwK"),
    ("selector", "eps_greedy"): _EXAMPLE("epsilon_first.py:EpsilonFirst"),
    ("estimator", "empirical"): "write beta_sample, or none",
    ("estimator", "discounted_sample"): "write beta_sample; lincon.online has a memory for drift",
    ("target", "controlled"): "write paced",
    ("steering", "rationed"): "write ledger",
    ("constraint_belief", "lower"): _EXAMPLE("pessimistic_lp.py:PessimisticLP"),
    ("constraint_belief", "mean"): "leave the key out",
    ("constraint_belief", "same"): "leave the key out",
}


def _codes(kind: str) -> Any:
    """The parts as an IntEnum, for kernels: `beta_sample` is BETA_SAMPLE."""
    return IntEnum(kind, [name.upper() for name in TABLES[kind]], start=0)


Estimator = _codes("estimator")

# All parameters by name, for kernels; those that a policy does not have are 0.
_NAMES: Any = sorted({n for parts in TABLES.values() for p in parts.values() for n in p.defaults})
Parameters: Any = namedtuple("Parameters", _NAMES)  # type: ignore[misc]
