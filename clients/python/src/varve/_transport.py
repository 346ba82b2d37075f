"""Calls over HTTP with the standard library: idempotency keys, timeouts and retries."""

from __future__ import annotations

import http.client
import json
import math
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime
from typing import Any, Iterable, Iterator, Mapping, Optional

from ._errors import VarveError

RETRIES_DEFAULT = 3
RETRIES_MAX = 10
TIMEOUT_SECONDS = 30.0
FIRST_PAUSE_SECONDS = 0.2
PAUSE_SECONDS_MAX = 5.0
# A longer Retry-After is cut to this.
RETRY_AFTER_SECONDS_MAX = 60.0
# The server reads no larger body and may close the connection before it is sent.
BODY_BYTES_MAX = 4 * 1024 * 1024
# The server sends something every 15 seconds; a connection silent for longer than this is dead.
SILENCE_SECONDS = 45.0
# Maximum connections in a row that bring nothing, before following fails.
FOLLOW_TRIES_MAX = 100
# Maximum event ids remembered: a new connection repeats the last seconds.
REMEMBERED_MAX = 10_000

# The default of an argument that narrows a deletion: None is more likely the result of a failed lookup.
ALL: Any = object()

_NOT_IN_A_TOKEN = re.compile("[^!-~\u00a1-\u00ff]")
_NOTHING = "found nothing under this path."
_BUSY = frozenset({429, 502, 503, 504})


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: the token goes only to the address it was given for."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Transport:
    """Calls one installation of Varve. It keeps no connection, so threads may share it."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        tenant: Optional[str] = None,
        timeout: float = TIMEOUT_SECONDS,
        retries: int = RETRIES_DEFAULT,
    ) -> None:
        if not _is_address(url):
            raise _invalid(f"url is {url!r}; expected an http or https address")
        if not isinstance(token, str) or token == "":
            found = "empty" if token == "" else "no text"
            raise _invalid(f"token is {found}; expected the text that .varve/api-token has")
        if _NOT_IN_A_TOKEN.search(token):
            raise _invalid(
                "token has a space, a line break or a letter that no token has; "
                "copy it again, or strip() it"
            )
        if not isinstance(retries, int) or not 0 <= retries <= RETRIES_MAX:
            raise _invalid(f"retries is {retries!r}; expected 0 to {RETRIES_MAX}")
        if not isinstance(timeout, (int, float)) or not 0 < timeout < math.inf:
            raise _invalid(f"timeout is {timeout!r}; expected seconds above 0")
        self._url = url.rstrip("/")
        self._token = token
        self._tenant = tenant
        self._timeout = timeout
        self._retries = retries
        self._opener = urllib.request.build_opener(_NoRedirect)

    def call(self, method: str, path: str, repeats: str, fields: Mapping[str, Any]) -> Any:
        """Makes one call with its retries; returns None for what does not exist."""
        given = {name: value for name, value in fields.items() if value is not None}
        if "{tenant}" in path and "tenant" not in given and self._tenant is not None:
            given["tenant"] = self._tenant
        if repeats == "keyed":
            given.setdefault("idempotencyKey", str(uuid.uuid4()))
        if path.endswith("/turns") and method == "POST":
            given["turns"] = _turn_list(given.get("turns", []))
        is_once = repeats == "write" and method != "DELETE"
        request = self._request(method, path, given)
        tries = 0
        while True:
            try:
                return self._send(request)
            except VarveError as error:
                if error.status == 404 and error.args[0].endswith(_NOTHING):
                    return None
                may_repeat = error.code == "RATE_LIMITED" if is_once else error.retryable
                if not may_repeat or tries >= self._retries:
                    raise
                time.sleep(pause_seconds(tries, error.retry_after, random.random()))
                tries += 1

    def follow(self, path: str, fields: Mapping[str, Any]) -> Iterator[Any]:
        """Yields events as they happen, over as many connections as it takes."""
        given = {name: value for name, value in fields.items() if value is not None}
        if "tenant" not in given and self._tenant is not None:
            given["tenant"] = self._tenant
        known: dict[str, None] = {}
        last: Optional[str] = None
        tries = 0
        while True:
            request = self._request("GET", path, dict(given))
            request.add_header("accept", "text/event-stream")
            if last is not None:
                request.add_header("last-event-id", last)
            try:
                with self._opener.open(request, timeout=SILENCE_SECONDS) as response:
                    for line in response:
                        tries = 0
                        if line.startswith(b"id: "):
                            last = max(last or "", line[len(b"id: ") :].strip().decode())
                            # A new connection also skips events before the start.
                            given.setdefault("after", last)
                        if not line.startswith(b"data: "):
                            continue
                        event = json.loads(line[len(b"data: ") :])
                        if event["id"] in known:
                            continue
                        known[event["id"]] = None
                        if len(known) > REMEMBERED_MAX:
                            del known[next(iter(known))]
                        yield event
                failure = self._unreachable()
            except urllib.error.HTTPError as error:
                with error:
                    failure = _failure(error)
            except (OSError, ValueError, http.client.HTTPException) as error:
                failure = self._unreachable()
                failure.__cause__ = error
            if not failure.retryable or tries >= FOLLOW_TRIES_MAX:
                raise failure
            time.sleep(pause_seconds(tries, failure.retry_after, random.random()))
            tries += 1

    def _request(self, method: str, path: str, fields: dict[str, Any]) -> urllib.request.Request:
        parts = []
        for part in path.split("/"):
            if part.startswith("{"):
                name = part[1:-1]
                value = fields.pop(name, None)
                if not isinstance(value, str) or value == "":
                    raise _invalid(f"{name} is {value!r}; expected a text")
                part = urllib.parse.quote(_encoded(name, value), safe="")
            parts.append(part)
        url = self._url + "/".join(parts)
        headers = {"authorization": f"Bearer {self._token}"}
        body = None
        if method in ("GET", "DELETE"):
            query = {name: _encoded(name, _in_query(value)) for name, value in fields.items()}
            url += f"?{urllib.parse.urlencode(query)}" if query else ""
        else:
            headers["content-type"] = "application/json"
            body = _json(fields).encode()
            if len(body) > BODY_BYTES_MAX:
                found = f"The body has {len(body)} bytes; expected at most {BODY_BYTES_MAX}."
                message = f"{found} Send less at a time."
                raise VarveError(message, code="CONTENT_TOO_LONG", retryable=False)
        return urllib.request.Request(url, data=body, headers=headers, method=method)

    def _send(self, request: urllib.request.Request) -> Any:
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                raise _failure(error) from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                message = f"{self._url} did not answer within {self._timeout} s."
                raise VarveError(message, code="TIMEOUT", retryable=True) from error
            raise self._unreachable() from error

    def _unreachable(self) -> VarveError:
        message = f"{self._url} cannot be reached; expected a running Varve (varve start)."
        return VarveError(message, code="PROVIDER_ERROR", retryable=True)


def pause_seconds(tries: int, retry_after: Optional[float], chance: float) -> float:
    """Returns a pause: exponential backoff with full jitter, or what the server asks for."""
    if retry_after is not None:
        return min(retry_after, RETRY_AFTER_SECONDS_MAX)
    pause: float = min(FIRST_PAUSE_SECONDS * 2.0**tries, PAUSE_SECONDS_MAX)
    return chance * pause


def _is_address(url: Any) -> bool:
    if not isinstance(url, str) or re.search(r"[\s\x00-\x1f\x7f]", url) is not None:
        return False
    try:
        parts = urllib.parse.urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _turn_list(turns: Any) -> list[Mapping[str, Any]]:
    """Returns the turns as a list; refuses what is no list of turns."""
    if isinstance(turns, (str, bytes, Mapping)) or not isinstance(turns, Iterable):
        raise _no_turns("turns", turns)
    listed = list(turns)
    for number, turn in enumerate(listed):
        if not isinstance(turn, Mapping):
            raise _no_turns(f"turns[{number}]", turn)
    return listed


def _no_turns(name: str, found: Any) -> VarveError:
    expected = 'expected a list of turns, such as [{"role": "user", "content": "…"}]'
    return _invalid(f"{name}: {expected}, found {type(found).__name__}")


def _encoded(name: str, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise _invalid(f"{name} has half a character; expected a whole text") from error


def _in_query(value: Any) -> str:
    if isinstance(value, datetime):
        return _iso_time(value)
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, default=_iso_time, allow_nan=False)
    except ValueError as error:
        what = "NaN, infinite, or contains itself"
        raise _invalid(f"a value is {what}; expected what JSON has") from error
    except TypeError as error:
        raise _invalid("a key of a dict is no text; expected what JSON has") from error
    except RecursionError as error:
        raise _invalid("a value is nested too deep; expected what JSON has") from error


def _iso_time(value: Any) -> str:
    """Returns a time as ISO 8601 with its offset; refuses what JSON does not have."""
    if not isinstance(value, datetime):
        raise _invalid(f"a value is a {type(value).__name__}; expected what JSON has, or a datetime")
    if value.utcoffset() is None:
        raise _invalid(
            f"{value.isoformat()} has no offset; expected an aware datetime, such as "
            "datetime.now(timezone.utc)"
        )
    return value.isoformat()


def _failure(error: urllib.error.HTTPError) -> VarveError:
    after = error.headers.get("retry-after")
    retry_after = float(after) if after is not None and after.isdigit() else None
    try:
        problem = json.load(error)
        code, message = problem["code"], problem["detail"]
    except (ValueError, KeyError, TypeError):
        is_busy = error.code in _BUSY
        return VarveError(
            f"The address answered {error.code} without a problem of Varve.",
            code="PROVIDER_ERROR" if is_busy else "INVALID_INPUT",
            retryable=is_busy,
            status=error.code,
            retry_after=retry_after,
        )
    return VarveError(
        message,
        code=code,
        retryable=problem.get("retryable", False),
        status=error.code,
        details=problem.get("details"),
        retry_after=retry_after,
    )


def narrowed(name: str, value: Any) -> Any:
    """Refuses None for what narrows a deletion: everything would be deleted."""
    if value is None:
        raise _invalid(f"{name} is None; give the ids, or leave it out to delete the whole session")
    return None if value is ALL else value


def _invalid(message: str) -> VarveError:
    return VarveError(message, code="INVALID_INPUT", retryable=False)
