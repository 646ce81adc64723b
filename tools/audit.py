"""Known weaknesses of the pinned packages, by pip-audit: an answer, or why there is none.

    python tools/audit.py

Exit code 0 only where every package of every requirements file was looked up and none is known to
be weak. A service that cannot be reached, or does not know a package, is said and is no success.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[1]
# All that any of the requirements files holds is in this one (tests/project/test_dependencies.py).
EVERYTHING = "requirements-test.txt"


def asked() -> tuple[list[dict[str, Any]], str]:
    """What pip-audit found, a record a package; or nothing, and the reason."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", EVERYTHING]
    command += [
        "--disable-pip",
        "--require-hashes",
        "--format",
        "json",
        "--progress-spinner",
        "off",
    ]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)["dependencies"], ""
    except (ValueError, KeyError):
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return [], lines[-1].strip()[:300] if lines else f"exit code {done.returncode}"


def judged(found: list[dict[str, Any]], reason: str) -> tuple[int, list[str]]:
    """The exit code and what is to be said."""
    if reason or not found:
        return 1, [f"pip-audit: NOT CHECKED, the service gave no answer ({reason or 'empty'})"]
    lines = [
        f"{package['name']} {package['version']}: {one['id']}, mended in "
        f"{', '.join(one['fix_versions']) or 'no release yet'}"
        for package in found
        for one in package.get("vulns", ())
    ]
    unknown = [package["name"] for package in found if "skip_reason" in package]
    if unknown:
        lines.append(
            f"pip-audit: NOT CHECKED, the service knows nothing of {len(unknown)} of {len(found)} "
            f"packages ({', '.join(unknown[:3])}{', ...' * (len(unknown) > 3)})"
        )
    return int(bool(lines)), lines or [f"pip-audit: {len(found)} packages, no known weakness"]


if __name__ == "__main__":
    code, lines = judged(*asked())
    print("\n".join(lines))
    sys.exit(code)
