"""Which link to show, by several workers that share one SQLite file. Kill them whenever you like.

    python service.py links.csv counts.db 8001     one worker; start several, each with its port

GET /choose gives {"id": ..., "arm": ...}, POST /event?id=... reports a click: to any worker, late,
as often as it likes. What is not clicked in time counts as no click.
"""

import argparse
import json
import os
import sqlite3
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from lincon.online import LearnedLedger, read_arms

FLOOR = 0.025


class Worker:
    """Who waits and who has counted what is in the file; a policy's memory can always be remade."""

    def __init__(self, links: str, file: str, name: str, timeout: float) -> None:
        arms, history = read_arms(links)
        log = f"{file}.{name}.jsonl"
        self.policy = LearnedLedger(arms, eta=FLOOR, prior=history, worker=name, log=log)
        self.timeout, self.next_look = timeout, 0.0
        self.file = sqlite3.connect(file, timeout=60, isolation_level=None)
        self.file.execute("PRAGMA journal_mode = WAL")
        self.file.execute("CREATE TABLE IF NOT EXISTS waiting (id PRIMARY KEY, arm, time)")
        self.file.execute("CREATE TABLE IF NOT EXISTS counts (worker PRIMARY KEY, delta)")
        self.look()

    def look(self) -> None:
        """Once a second: what has waited too long counts as no click."""
        if time.time() >= self.next_look:
            self.count("time <= ?", time.time() - self.timeout, False)
            self.next_look = time.time() + 1.0

    def choose(self) -> dict[str, object]:
        self.look()
        made = self.policy.decide(remember=False, resamples=15, uniform=0.02)
        row = (made.id, made.arm, made.time)
        self.file.execute("INSERT INTO waiting VALUES (?, ?, ?)", row)
        return {"id": made.id, "arm": made.arm}

    def count(self, which: str, key: float | str, event: bool) -> int:
        """Decisions stop waiting and are counted in one transaction, and so exactly once."""
        ended = f"DELETE FROM waiting WHERE {which} RETURNING id, arm"
        try:
            self.file.execute("BEGIN IMMEDIATE")
            for (delta,) in self.file.execute("SELECT delta FROM counts").fetchall():
                self.policy.merge(json.loads(delta))
            rows = self.file.execute(ended, (key,)).fetchall()
            self.policy.update_many([arm for _, arm in rows], [event] * len(rows))
            total = (self.policy.worker, json.dumps(self.policy.delta()))
            self.file.execute("REPLACE INTO counts VALUES (?, ?)", total)
            self.file.execute("COMMIT")
        except sqlite3.Error:
            os._exit(1)  # the memory is ahead of the file: whoever starts this again sets it right
        for id, _ in rows:
            self.policy.note(id=id, event=int(event))
        return len(rows)


class Handler(BaseHTTPRequestHandler):
    worker: Worker

    def do_GET(self) -> None:
        self.answer(self.worker.choose())

    def do_POST(self) -> None:
        self.answer({"counted": self.worker.count("id = ?", self.path.partition("=")[2], True)})

    def answer(self, said: dict[str, object]) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(said).encode())

    def log_message(self, *_: object) -> None:
        """The decision log has it all."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("links", "file", "port"):
        parser.add_argument(name)
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds to wait for a click")
    given = parser.parse_args()
    Handler.worker = Worker(given.links, given.file, f"port-{given.port}", given.timeout)
    HTTPServer(("127.0.0.1", int(given.port)), Handler).serve_forever()
