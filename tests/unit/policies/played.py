"""The policies that the tests play: the standard ones, which have every part, and parameters off
their defaults."""

from lincon.policies.registry import make_policy
from lincon.policies.standard import STANDARD
from lincon.study.config import engine_keys


def of(estimator: str, **more: object) -> dict[str, object]:
    return {"estimator": estimator, **more}


POLICIES = {
    name: make_policy(name, engine_keys(entry))
    for name, entry in (
        STANDARD
        | {
            "kl_ledger": of("kl_ucb", steering="ledger", reserve=0.5, explore=0.3, c=3),
            "ts_given": of("beta_sample", prior="beta", prior_a=0.3, prior_b=4),
            "truth_paced": of("truth", target="paced"),
            "gittins_given": of("gittins", target="none", prior="beta", prior_a=0.3, explore=2),
        }
    ).items()
}
