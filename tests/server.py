"""A real HTTP server on this machine that can be asked to misbehave."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

Answer = Callable[[BaseHTTPRequestHandler], None]


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("latin-1")


def raw(*pieces: bytes, pause: float = 0.0) -> Answer:
    """These bytes, whatever they are, with a pause after each, and the end of the connection."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        for piece in pieces:
            request.wfile.write(piece)
            request.wfile.flush()
            time.sleep(pause)

    return answer


def cut_off(body: bytes, pause: float = 0.0) -> Answer:
    """Promise the whole body, send half of it, and hang up after a pause."""
    return raw(head(f"Content-Length: {len(body)}") + body[: len(body) // 2], pause=pause)


def healthy(body: bytes) -> Answer:
    return raw(head(f"Content-Length: {len(body)}") + body)


def status(code: int) -> Answer:
    return lambda request: request.send_error(code)


def redirect(location: str) -> Answer:
    # It says that it closes the connection: the client would use it again.
    lines = (f"Location: {location}", "Content-Length: 0", "Connection: close")
    return raw(head(*lines, status="302 Found"))


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
    def running(self) -> Iterator[Self]:
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
