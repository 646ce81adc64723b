"""The finished small study of tests/workflow, to be damaged, killed and repeated."""

from tests.workflow.conftest import complete, finished

__all__ = ["complete", "finished"]
