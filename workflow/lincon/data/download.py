"""One download over HTTP, from a server that may be slow, broken or hostile.

Nothing of the server is believed: neither the length that it announces nor that it ever stops. The
size and the whole time are capped, a body in a content encoding that was not asked for is refused,
and a redirect may neither leave http(s) nor lead from a public address into a private network.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import IO, TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from lincon.data.raw import MAX_BYTES

if TYPE_CHECKING:
    import requests

MAX_REDIRECTS = 5
CHUNK = 1 << 16
REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True)
class Patience:
    """How long to wait for a server, in seconds, and how often to ask it again."""

    connect: float = 5.0
    read: float = 30.0  # without a single byte
    total: float = 600.0  # for one address, all tries together
    tries: int = 3
    pause: float = 1.0  # before the second try; doubled before each further one


PATIENT = Patience()


class Failed(Exception):
    """One place did not deliver, and why; the next one is asked."""

    def __init__(self, why: str, passing: bool = False) -> None:
        super().__init__(why)
        self.passing = passing  # worth another try


def is_address(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))


def without_passwords(text: str) -> str:
    """As addresses may be shown and kept: without the name and the password of who asks."""
    return re.sub(r"(https?://)[^\s/@]*@", r"\1", text, flags=re.IGNORECASE)


def download(address: str, target: Path, patience: Patience, max_bytes: int = MAX_BYTES) -> None:
    """Write the body at `address` to `target`; `Failed` after as many tries as may help."""
    end = monotonic() + patience.total
    pause = patience.pause
    for left in reversed(range(patience.tries)):
        try:
            _within(end, patience, address, target, max_bytes)
            return
        except Failed as failure:
            if not failure.passing:
                raise
            if not left or monotonic() + pause >= end:
                tries = patience.tries - left
                raise Failed(f"{failure}, {tries} {'try' if tries == 1 else 'tries'}") from None
        sleep(pause)
        pause *= 2


def _within(end: float, patience: Patience, address: str, target: Path, max_bytes: int) -> None:
    """Download in a thread that is left behind at the end of the time.

    A time-out of a socket starts anew with every byte, so a server that drips, in the head or in
    the body, could hold the caller for ever.
    """
    attempt = _Attempt(patience, max_bytes)
    outcome: list[BaseException | None] = []

    def work(file: IO[bytes]) -> None:
        try:
            attempt.run(address, file)
            outcome.append(None)
        except BaseException as error:
            outcome.append(error)

    # Opened here: a thread that is given up must not make the file anew when its answer comes.
    with open(target, "wb") as file:
        thread = threading.Thread(
            target=work, args=(file,), daemon=True, name=f"download {target.name}"
        )
        thread.start()
        thread.join(max(0.0, end - monotonic()))
        attempt.given_up.set()
    if not outcome:
        raise Failed(f"not finished within {patience.total:g} s")
    if outcome[0] is not None:
        raise outcome[0]


class _Attempt:
    """One request, with the redirects that it leads to."""

    def __init__(self, patience: Patience, max_bytes: int) -> None:
        self.patience = patience
        self.max_bytes = max_bytes
        self.given_up = threading.Event()

    def run(self, address: str, file: IO[bytes]) -> None:
        import requests

        try:
            with self._answer(address) as response:
                self._save(response, file)
        except (requests.Timeout, TimeoutError):
            raise Failed("no answer in time", passing=True) from None
        except requests.exceptions.ChunkedEncodingError:
            raise Failed("cut off", passing=True) from None
        except requests.ConnectionError as error:
            late = "timed out" in str(error)  # how requests reports a time-out within the body
            raise Failed("no answer in time" if late else "no connection", passing=True) from None
        except (requests.RequestException, ValueError) as error:
            reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
            raise Failed(f"no usable answer: {reason}") from None

    def _answer(self, address: str) -> requests.Response:
        """The answer at the end of the redirects; a connection each, as servers hang up."""
        import requests

        private = is_private(address)
        for _ in range(MAX_REDIRECTS + 1):
            response = requests.get(
                address,
                stream=True,
                allow_redirects=False,
                timeout=(self.patience.connect, self.patience.read),
                headers={"Accept-Encoding": "identity"},
            )
            if response.status_code not in REDIRECTS:
                return response
            response.close()
            address = _next(address, response.headers.get("Location", ""), private)
        raise Failed(f"more than {MAX_REDIRECTS} redirects")

    def _save(self, response: requests.Response, file: IO[bytes]) -> None:
        announced = self._announced(response)
        size = 0
        for chunk in _chunks(response):
            size += len(chunk)
            if size > self.max_bytes:
                raise Failed(self._too_big("it sends more"))
            if self.given_up.is_set():
                return
            file.write(chunk)
        if announced is not None and size != announced:
            raise Failed("cut off", passing=True)
        if size == 0:
            raise Failed("an empty file")

    def _announced(self, response: requests.Response) -> int | None:
        """The length that a good answer announces; anything else is refused before its body."""
        status = response.status_code
        if status != 200:
            raise Failed(f"answers {status}", passing=status >= 500 or status == 429)
        encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding not in ("", "identity"):
            raise Failed(f"sends it in the encoding {encoding[:40]}, which was not asked for")
        length = response.headers.get("Content-Length", "").strip()
        if not length or "Transfer-Encoding" in response.headers:
            return None
        if not (length.isascii() and length.isdigit()):
            raise Failed(f"announces a length of {length[:40]!r}")
        if int(length) > self.max_bytes:
            raise Failed(self._too_big(f"it announces {int(length):,}"))
        return int(length)

    def _too_big(self, what: str) -> str:
        return f"at most {self.max_bytes:,} bytes are taken and {what}; see `max_bytes`"


def _chunks(response: requests.Response) -> Iterator[bytes]:
    """The body as it comes; errors of the layer below as those of requests."""
    import requests
    import urllib3

    while True:
        try:
            chunk = response.raw.read(CHUNK, decode_content=False)
        except urllib3.exceptions.ReadTimeoutError:
            raise Failed("no answer in time", passing=True) from None
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise requests.exceptions.ChunkedEncodingError(str(error)) from None
        if not chunk:
            return
        yield chunk


def _next(address: str, location: str, private: bool) -> str:
    """Where a redirect leads, if it may be followed."""
    import requests

    if not location:
        raise Failed("redirects to nowhere")
    target = urljoin(address, location)
    if not is_address(target):
        raise Failed(f"redirects to {target[:200]!r}, which is not http(s)")
    # As requests reads it: it finds the host 127.0.0.1 in http://127.0.0.1\@example.org/ and in
    # http://%31%32%37.0.0.1/, and urlsplit does not.
    target = str(requests.Request("GET", target).prepare().url)
    if not private and is_private(target):
        raise Failed(f"redirects from a public address to {target[:200]!r} in a private network")
    return target


def is_private(address: str) -> bool:
    """Whether any of the host's IP addresses is not one of the public Internet.

    A name that cannot be resolved here counts as public: a proxy may know it, and without one
    there will be no connection.
    """
    host = urlsplit(address).hostname or ""
    return any(not ip.is_global for ip in ip_addresses(host))


def ip_addresses(host: str) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    result = []
    for *_, place in found:
        ip = ipaddress.ip_address(str(place[0]).partition("%")[0])
        # ::ffff:127.0.0.1 is 127.0.0.1 in the clothes of IPv6.
        mapped = getattr(ip, "ipv4_mapped", None)
        result.append(mapped or ip)
    return result
