"""Which kernel plays which policy; kernels are compiled separately, and only when needed.

A module without Numba, so that the workflow can ask without loading the compiler.
"""

from collections.abc import Mapping
from typing import Any

from lincon.policies.parts import ESTIMATORS

# By engine and estimator. Those that share a kernel are compiled together.
KERNELS: dict[tuple[str, str], str] = {
    ("lazy", "beta_sample"): "lazy_sampling",
    ("lazy", "kl_ucb"): "lazy_index",
    ("lazy", "ucb1"): "lazy_index",
    ("lazy", "truth"): "lazy_known",
    **{("dense", name): "dense" for name in ESTIMATORS},
    ("dense", "none"): "uniform",
}


def kernel_of(entry: Mapping[str, Any], engine: str) -> str | None:
    """The kernel that plays a policy's config entry; a user-defined policy needs none."""
    if engine == "python":
        return None
    return KERNELS[engine, entry["estimator"]]
