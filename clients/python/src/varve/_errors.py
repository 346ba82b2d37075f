"""The error of a failed call."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class VarveError(Exception):
    """A refusal by the server, or the reason why a call did not reach it.

    ``code`` is a code of docs/errors.md. ``retryable`` says whether the same call may succeed
    later. ``status`` is the HTTP status (0 without an answer). ``details`` has what a caller can
    act on. ``retry_after`` is the seconds after which the server wants the next try.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        retryable: bool,
        status: int = 0,
        details: Optional[Mapping[str, Any]] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.status = status
        self.details: Mapping[str, Any] = details or {}
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.code}: {super().__str__()}"
