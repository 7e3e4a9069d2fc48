"""The archive with judged queries that tests of learning use."""

from ...spoken.conftest import taught

__all__ = ["taught"]
