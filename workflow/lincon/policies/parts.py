"""Every estimator, selector and target, declared once.

Schema rows, integer codes, error sentences and the table in docs/policies.md come from here or are
tested against it; the kernels behind the names are in `estimators`, `selectors` and `targets`.
Loads without Numba, so that reading a config does not load the compiler.

Notation: n_i plays and s_i events of arm i before round t, m_i = s_i / n_i, theta_i the belief,
r_i the value, N arms, horizon T, S events of all arms so far. Each arm is played once first.
"Chosen here" marks a constant that its paper leaves open or that could not be checked against it.
"""

from __future__ import annotations

from lincon.policies.declaration import DENSE, Parameter, Part, table

ESTIMATORS = table(
    Part(
        "beta_sample",
        "theta_i ~ Beta(1 + s_i, 1 + n_i - s_i)",
        "Thompson 1933; Saxena, Gonzalez, Jaldén, AISTATS 2020 (LinConTS)",
    ),
    Part(
        "kl_ucb",
        "theta_i = max{q : n_i d(m_i, q) <= log t + c log log t}",
        "Garivier, Cappé, COLT 2011",
        (Parameter("c", 0.0, "weight of log log t", minimum=0.0),),
    ),
    Part(
        "ucb1",
        "theta_i = min(1, m_i + sqrt(alpha log t / n_i))",
        "Auer, Cesa-Bianchi, Fischer, Machine Learning 2002 (alpha = 2); Chen et al., IJCAI 2018 "
        "(Con-UCB, alpha = 1.5)",
        (Parameter("alpha", 2.0, "weight of log t", exclusive_minimum=0.0),),
    ),
    Part("truth", "theta_i = mu_i, the true mean", "the oracle of the regret's definition"),
    Part("empirical", "theta_i = m_i", "the sample mean", engines=DENSE),
)

SELECTORS = table(
    Part(
        "lp",
        "the mixture that solves LP(theta) at the target; where none meets it, uniform",
        "Saxena, Gonzalez, Jaldén, AISTATS 2020",
    ),
    Part("argmax", "the arm of the largest theta_i r_i", "the unconstrained bandit"),
    Part(
        "queue",
        "the arm of the largest theta_i (r_i + Q / (v sqrt t)), "
        "Q <- [Q + eta + epsilon / sqrt t - event]_+",
        "after Liu, Li, Shi, Ying, NeurIPS 2021 (one constraint: v = sqrt(2/3), epsilon = sqrt 6)",
        (
            Parameter(
                "v",
                1.0,
                "an event is worth Q / (v sqrt(t)) more than it pays",
                exclusive_minimum=0.0,
            ),
            Parameter(
                "epsilon", 0.0, "the queue grows by epsilon / sqrt(t) more than eta", minimum=0.0
            ),
        ),
    ),
    Part(
        "primal_dual",
        "the arm of the largest r_i theta_i / (w1 (1 - theta_i) + w2 (1 - eta)); w1 = w2 = 1 at "
        "first, w1 *= (1 + e)^(1 - theta_a), w2 *= (1 + e)^(1 - eta), "
        "e = sqrt(log 2 / ((1 - eta) T))",
        "after Badanidiyuru, Kleinberg, Slivkins, FOCS 2013 (PrimalDualBwK, failures and time as "
        "resources; played to T instead of stopping when the budget is gone)",
    ),
    Part(
        "eps_greedy",
        "uniform with probability min(1, explore N log t / t), else LP(theta) at eta",
        "after Auer, Cesa-Bianchi, Fischer, Machine Learning 2002 (epsilon_n-greedy)",
        (Parameter("explore", 0.1, "weight of N log t / t (chosen here)", minimum=0.0),),
        engines=DENSE,
    ),
    Part("uniform", "every arm with probability 1 / N", "the floor of comparisons"),
    Part(
        "lp_greedy",
        "as lp; where no mixture meets the target, the arm of the largest theta",
        "lincon: plays for events where LinConTS plays blindly",
    ),
)

# Which rate the `lp` selector asks for in round t; the others have no target.
TARGETS = table(
    Part("fixed", "eta", "Saxena, Gonzalez, Jaldén, AISTATS 2020"),
    Part(
        "tightened",
        "min(1, eta + k sqrt(log t / t))",
        "pessimism about the constraint, as in Liu, Li, Shi, Ying, NeurIPS 2021 (k chosen here)",
        (Parameter("k", 1.0, "weight of sqrt(log t / t)", minimum=0.0),),
    ),
    Part(
        "paced",
        "clip((eta T - S) / (T - t + 1), 0, 1); where the LP is infeasible, the arm of the largest "
        "theta",
        "after Ferreira, Simchi-Levi, Wang, Operations Research 2018 (TS-update)",
    ),
    Part(
        "controlled",
        "eta + margin while S - eta (t - 1) < buffer log(T - t), else eta - margin; in [0, 1]",
        "after Kumar, Kleinberg, NeurIPS 2022 (ControlBudget; margin and buffer chosen here)",
        (
            Parameter("margin", 0.01, "how far from eta the target is", minimum=0.0, maximum=1.0),
            Parameter("buffer", 1.0, "weight of log(T - t)", minimum=0.0),
        ),
    ),
    Part(
        "safe_paced",
        "min(clip((eta T + surplus log T - S) / (T - t + 1), 0, 1), max(eta, L)), L = max over "
        "arms with n_i > least_plays of m_i - sqrt(width m_i (1 - m_i) log t / n_i); where the LP "
        "is infeasible, uniform",
        "lincon: it catches up only while an arm is known that can",
        (
            Parameter(
                "least_plays", 20.0, "arms played as often or less do not count", minimum=0.0
            ),
            Parameter("width", 2.0, "weight of log t in the lower bound", minimum=0.0),
            Parameter(
                "surplus", 0.0, "the paced target aims at surplus log T events more", minimum=0.0
            ),
        ),
    ),
)
