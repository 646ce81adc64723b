"""A service with FastAPI, whose workers share one SQLite file. Kill them whenever you like.

    ARMS=links.csv GOAL='{"eta": 0.025}' COUNTS=counts.db uvicorn service:app --workers 4

GET /choose gives {"id": ..., "arm": ...}, and /choose?kind=code where requests come in kinds (their
shares are KINDS='{"code": 0.3, "chat": 0.7}', by default equal). POST /feedback {"id": ...,
"event": 1} reports a click to any worker, late, as often as it likes. After TIMEOUT seconds a
decision counts as no event.
"""

import fcntl
import json
import os
import sqlite3
import time
from contextlib import contextmanager

from fastapi import Body, FastAPI, HTTPException

from lincon.online import TSLedger, UserError, read_arms

COUNTS, TIMEOUT = os.environ["COUNTS"], float(os.environ.get("TIMEOUT", "600"))
GOAL, KINDS = json.loads(os.environ["GOAL"]), json.loads(os.environ.get("KINDS", "null"))


def free_name():
    """The first name that no running worker has: a worker that died leaves its name and its counts
    to the next one. The lock ends with the process."""
    number = 1
    while True:
        lock = os.open(f"{COUNTS}.{number}.lock", os.O_CREAT | os.O_RDWR)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return f"worker-{number}"
        except BlockingIOError:
            os.close(lock)
            number += 1


arms, history = read_arms(os.environ["ARMS"])
worker = free_name()
policy = TSLedger(arms, goal=GOAL, kinds=KINDS, history=history, worker=worker)
file = sqlite3.connect(COUNTS, timeout=60, isolation_level=None)
file.execute("PRAGMA journal_mode = WAL")
file.execute("CREATE TABLE IF NOT EXISTS waiting (id PRIMARY KEY, kind, arm, time)")
file.execute("CREATE TABLE IF NOT EXISTS totals (worker PRIMARY KEY, total)")
app = FastAPI()


@contextmanager
def transaction():
    """Merge what others have counted, count, and keep this worker's total: all or nothing."""
    try:
        file.execute("BEGIN IMMEDIATE")
        for (total,) in file.execute("SELECT total FROM totals").fetchall():
            policy.merge(json.loads(total))
        yield
        file.execute("REPLACE INTO totals VALUES (?, ?)", (worker, json.dumps(policy.totals())))
        file.execute("COMMIT")
    except HTTPException:
        file.execute("ROLLBACK")
        raise
    except BaseException:
        # Memory is ahead of the file: whoever starts this worker again sets it right.
        os._exit(1)


def settle(which, key, event):
    """Count decisions that wait; each stops waiting in the same transaction, so it counts once."""
    ended = file.execute(
        f"DELETE FROM waiting WHERE {which} RETURNING kind, arm", (key,)
    ).fetchall()
    for kind, arm in ended:
        policy.update(arm, event, kind=kind)
    return len(ended)


@app.get("/choose")
async def choose(kind: str | None = None):
    with transaction():
        try:
            decision = policy.decide(kind=kind)
        except UserError as error:  # such as an unknown kind; nothing has been counted
            raise HTTPException(422, str(error)) from None
        row = (decision.id, kind, decision.arm, decision.time)
        file.execute("INSERT INTO waiting VALUES (?, ?, ?, ?)", row)
        policy.discard(decision.id)  # the file knows what waits
        settle("time <= ?", time.time() - TIMEOUT, False)
    return {"id": decision.id, "arm": decision.arm, "worker": worker}


@app.post("/feedback")
async def feedback(id: str = Body(), event: float = Body(ge=0, le=1)):
    with transaction():
        counted = settle("id = ?", id, event)
    return {"outcome": "counted" if counted else "unknown"}


@app.get("/status")
async def status():
    with transaction():
        return policy.status() | {"process": os.getpid()}
