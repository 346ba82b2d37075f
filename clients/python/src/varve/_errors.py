"""What a call failed with."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class VarveError(Exception):
    """A refusal of the server, or what kept a call from reaching it.

    ``code`` is one of docs/errors.md, ``retryable`` whether the same call may succeed later,
    ``status`` that of HTTP (0 without an answer), ``details`` what a caller can act on, and
    ``retry_after`` the seconds after which the server wants to be asked again.
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
