"""A whole run whose ledger is a PostgreSQL server, as it is on a cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from gyeol.local.process import leftovers
from support.machine import Machine
from support.postgres import PostgresServer, postgres

__all__ = ["postgres"]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    yield made
    made.clear()


@pytest.mark.needs_postgres
def test_a_run_keeps_its_books_in_the_database_that_the_environment_names(
    machine: Machine, postgres: PostgresServer
) -> None:
    url = postgres.database()
    machine.env["LEDGER_DATABASE_URL"] = url
    status, out, err = machine.run("run", "-f", str(machine.describe("ko-shared")), "--json")
    assert (status, err) == (0, "")
    result = json.loads(out.splitlines()[-1])
    assert result["verdict"] == "Pass"
    assert leftovers(machine.home.path) == []
    assert not machine.home.ledger.exists(), "no second set of books"
    with psycopg.connect(url) as opened:
        runs = opened.execute("SELECT id FROM run").fetchall()
        triplets = opened.execute("SELECT count(*) FROM triplet").fetchall()
    assert runs == [(result["run_id"],)]
    assert triplets == [(result["accepted_harmful"] + result["accepted_benign"],)]
