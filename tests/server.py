"""A real HTTP server on this machine that can be asked to misbehave."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler], None]


def healthy(body: bytes, half_way: Callable[[], object] = lambda: None) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        _head(request, len(body))
        request.wfile.write(body[: len(body) // 2])
        half_way()
        request.wfile.write(body[len(body) // 2 :])

    return answer


def status(code: int) -> Answer:
    return lambda request: request.send_error(code)


def cut_off(body: bytes) -> Answer:
    """Promise the whole body, send half of it and hang up."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        _head(request, len(body))
        request.wfile.write(body[: len(body) // 2])

    return answer


def stalled(body: bytes, seconds: float) -> Answer:
    """Send half of the body at once and the rest too late."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        _head(request, len(body))
        request.wfile.write(body[: len(body) // 2])
        request.wfile.flush()
        time.sleep(seconds)

    return answer


def redirect(location: str, code: int = 302) -> Answer:
    return lambda request: raw(
        head(
            f"Location: {location}",
            "Content-Length: 0",
            "Connection: close",
            status=f"{code} Found",
        )
    )(request)


def raw(data: bytes) -> Answer:
    """These bytes, whatever they are, and the end of the connection."""
    return lambda request: _write(request, data)


def endless(head: bytes, piece: bytes) -> Answer:
    """The head, then one piece after the other until the client hangs up."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        _write(request, head)
        while True:
            _write(request, piece)

    return answer


def dripping(data: bytes, seconds: float, at_once: int = 0) -> Answer:
    """The data byte by byte, with a pause before each, after so many bytes at once."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        _write(request, data[:at_once])
        for byte in data[at_once:]:
            time.sleep(seconds)
            _write(request, bytes([byte]))

    return answer


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("latin-1")


def _write(request: BaseHTTPRequestHandler, data: bytes) -> None:
    request.wfile.write(data)
    request.wfile.flush()


def _head(request: BaseHTTPRequestHandler, length: int) -> None:
    request.send_response(200)
    request.send_header("Content-Length", str(length))
    request.end_headers()


class Server:
    """`server.files["a.csv"] = [status(500), healthy(b"...")]`; the last answer is repeated."""

    def __init__(self) -> None:
        self.files: dict[str, list[Answer]] = {}
        self.asked: list[str] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._http.block_on_close = False
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = self.path.lstrip("/")
                server.asked.append(name)
                answers = server.files.get(name, [status(404)])
                with suppress(ConnectionError):  # the client may give up waiting
                    (answers.pop(0) if len(answers) > 1 else answers[0])(self)

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    @contextmanager
    def running(self) -> Iterator[Server]:
        thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._http.shutdown()
            self._http.server_close()
            thread.join()


def dead_address() -> str:
    """An address on this machine where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"
