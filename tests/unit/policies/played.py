"""The policies that the tests play: all of config.yaml, and what these leave out."""

from pathlib import Path

import yaml

from lincon.policies.registry import make_policy
from lincon.study.config import engine_keys

CONFIG = Path(__file__).parents[3] / "config" / "config.yaml"
BENCH = {
    name: make_policy(name, engine_keys(entry))
    for name, entry in yaml.safe_load(CONFIG.read_text())["policies"].items()
}


def of(estimator: str, selector: str, **more: object) -> dict[str, object]:
    return {"estimator": estimator, "selector": selector, **more}


# Parts that no policy of the bench has, and parameters off their defaults.
OTHERS = {
    name: make_policy(name, spec)
    for name, spec in {
        "kl_c": of("kl_ucb", "lp", c=3),
        "ucb_low": of("ucb1", "lp", explore=0.25),
        "greedy": of("empirical", "lp"),
        "kl_paced": of("kl_ucb", "lp", target="paced", fallback="greedy", c=2),
        "truth_paced": of("truth", "lp", target="paced", fallback="uniform"),
        "ts_controlled_wide": of("beta_sample", "lp", target="controlled", margin=0.1, buffer=0.5),
        "ucb_controlled": of("ucb1", "lp", target="controlled", explore=0.1, margin=0.1, buffer=3),
        "kl_ledger": of("kl_ucb", "lp", steering="ledger", reserve=0.5, explore=0.3),
        "gittins_rationed": of("gittins", "lp", steering="rationed", reserve=0.5),
        "ts_rationed": of("beta_sample", "lp", steering="rationed", prior="beta", prior_a=2),
        "opb_low": of("kl_ucb", "lp", constraint_belief="lower", explore=0.2),
        "kl_mean": of("kl_ucb", "lp", constraint_belief="mean"),
        "ts_given": of("beta_sample", "lp", prior="beta", prior_a=0.3, prior_b=4),
        "ts_learned": of("beta_sample", "queue", prior="learned", spread=1, ramp=1, explore=2),
        "ucb_queue": of("ucb1", "queue", v=2, epsilon=0.5),
        "truth_queue": of("truth", "queue", v=3),
        "ucb_bwk": of("ucb1", "primal_dual", explore=0.1),
        "gittins_paced": of("gittins", "lp", target="paced", fallback="greedy", reach=0.5),
        "gittins_given": of("gittins", "queue", prior="beta", prior_a=0.3, prior_b=4, explore=2),
        "curious": of("beta_sample", "eps_greedy", uniform_rate=1),
    }.items()
}
POLICIES = BENCH | OTHERS
