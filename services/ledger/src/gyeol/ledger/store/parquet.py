"""Rows as Parquet files, and back. The same rows give the same bytes with the same release of pyarrow.

Rows travel as JSON lines in the form that is hashed (`domain.row`). pyarrow takes 100 MB and never gives them back, so a
running ledger lets a process of its own do this (`store.press`); this module is what that process runs:

    python -m gyeol.ledger.store.parquet write|read  <input  >output
"""

from __future__ import annotations

import io
import os
import sys

import pyarrow
from pyarrow import json
from pyarrow import parquet as files

from gyeol.ledger.domain.row import Row, canonical
from gyeol.ledger.store.press import UNREADABLE


def parquet(lines: bytes) -> bytes:
    """One Parquet file, zstd, with the columns of `Row`."""
    table = json.read_json(
        io.BytesIO(lines),
        # One block in one thread: the rows keep their order, and none is cut in two.
        read_options=json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
        parse_options=json.ParseOptions(explicit_schema=_schema(), unexpected_field_behavior="error"),
    )
    sink = io.BytesIO()
    files.write_table(table, sink, compression="zstd", version="2.6", store_schema=False)
    return sink.getvalue()


def lines(content: bytes) -> bytes:
    """The rows of a Parquet file.

    Raises:
      ValueError: It cannot be read.
    """
    try:
        # `read_table` would do, but loads pyarrow's dataset layer and pandas, which takes a second.
        table = files.ParquetFile(io.BytesIO(content)).read()
    except pyarrow.ArrowException as error:
        raise ValueError(f"not readable as Parquet ({str(error).splitlines()[0]})") from None
    return b"".join(
        canonical(row) + b"\n" for batch in table.to_batches(max_chunksize=500) for row in batch.to_pylist()
    )


def _schema() -> pyarrow.Schema:
    text = pyarrow.string()
    messages = pyarrow.list_(pyarrow.struct([("role", text), ("content", text)]))
    kinds = {"prompt": messages, "chosen": messages, "rejected": messages, "policy_version": pyarrow.int32()}
    kinds["citations"] = pyarrow.list_(text)
    return pyarrow.schema([(name, kinds.get(name, text)) for name in Row.__dataclass_fields__])


if __name__ == "__main__":
    work = {"write": parquet, "read": lines}[sys.argv[1]]
    try:
        made = work(sys.stdin.buffer.read())
    except ValueError as error:
        sys.stderr.write(str(error))
        sys.exit(UNREADABLE)
    sys.stdout.buffer.write(made)
    sys.stdout.buffer.flush()
    os._exit(0)  # pyarrow's threads are still there: on a busy machine an orderly exit now and then aborts
