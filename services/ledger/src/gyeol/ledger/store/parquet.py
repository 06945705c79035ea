"""Rows as Parquet files, and back. The same rows give the same bytes with the same release of pyarrow.

pyarrow is imported where it is used: an idle ledger does without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gyeol.ledger.domain.row import Row


def parquet(rows: Sequence[Row]) -> bytes:
    """One Parquet file, zstd, with the columns of `Row`."""
    import pyarrow
    from pyarrow import parquet as files

    columns = [row.columns() for row in rows]
    table = pyarrow.Table.from_pylist(columns, schema=_schema())
    sink = pyarrow.BufferOutputStream()
    files.write_table(table, sink, compression="zstd", version="2.6", store_schema=False)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def rows_of(content: bytes) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file, as columns.

    Raises:
      ValueError: It is no Parquet file, or not one of ours.
    """
    import pyarrow
    from pyarrow import parquet as files

    try:
        file = files.ParquetFile(pyarrow.BufferReader(content))
        for batch in file.iter_batches(batch_size=500):
            yield from batch.to_pylist()
    except pyarrow.ArrowException as error:
        raise ValueError(f"not readable as Parquet: {error}") from None


def _schema() -> Any:
    import pyarrow

    text = pyarrow.string()
    messages = pyarrow.list_(pyarrow.struct([("role", text), ("content", text)]))
    kinds = {"prompt": messages, "chosen": messages, "rejected": messages, "policy_version": pyarrow.int32()}
    kinds["citations"] = pyarrow.list_(text)
    return pyarrow.schema([(name, kinds.get(name, text)) for name in Row.__dataclass_fields__])
