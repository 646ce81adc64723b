"""Nodes that share no disk: every file travels through an S3 store, and the bytes stay the same."""

import hashlib

import pytest

from tests.cluster.experiment import ROOT, RUNS, SMALL, Experiment, needed
from tests.workflow.bench import Bench, run_file

boto3 = needed("boto3", "setup-test")
moto = needed("moto.server", "setup-test")
needed("snakemake_storage_plugin_s3", "setup-test")

KEYS = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
BUCKET = "lincon"


@pytest.fixture(scope="module")
def slurm():
    """Instead of the fixture that asks for Slurm: none is needed here."""


@pytest.fixture
def store(monkeypatch):
    """A local S3 server with one empty bucket, asked directly even where a proxy is set up."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        client = boto3.client("s3", endpoint_url=f"http://{host}:{port}", **KEYS)
        client.create_bucket(Bucket=BUCKET)
        yield client
    finally:
        server.stop()


def through(store):
    """The options that send every file through the store and trust no shared disk."""
    return [
        *("--default-storage-provider", "s3", "--default-storage-prefix", f"s3://{BUCKET}"),
        *("--storage-s3-endpoint-url", store.meta.endpoint_url),
        *("--storage-s3-access-key", "test", "--storage-s3-secret-key", "test"),
        *("--shared-fs-usage", "none"),
    ]


def stored_runs(store):
    found = store.list_objects_v2(Bucket=BUCKET, Prefix=RUNS)["Contents"]
    bodies = {one["Key"]: store.get_object(Bucket=BUCKET, Key=one["Key"])["Body"] for one in found}
    return {key: hashlib.sha256(body.read()).hexdigest() for key, body in bodies.items()}


def test_runs_through_s3_have_the_same_bytes(tmp_path, store):
    policies = ("lincon_ts", "lincon_kl_ucb")
    runs = [run_file(Bench(ROOT), SMALL, f"wireless/0.5/2000/{policy}/0") for policy in policies]
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
    here, there = Experiment(tmp_path / "here"), Experiment(tmp_path / "there")
    here.run("--cores", "2", targets=runs)
    there.run("--cores", "2", *through(store), targets=runs)
    assert len(here.runs()) == 2
    assert stored_runs(store) == here.runs()
    assert not list(there.folder.glob("results/**/*.parquet"))
