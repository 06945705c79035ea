"""Asks nothing and writes the files an evaluation writes."""

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

flags = [argument for argument in sys.argv[2:] if argument != "--json"]
options = dict(zip(flags[::2], flags[1::2], strict=True))
output = Path(options["--output"])
output.mkdir(parents=True, exist_ok=True)
suites = json.loads(Path(options["--suites"]).read_text())
rows = [{"suite": suite["name"], "item_id": str(n), "prompt": f"평가 질문 {n}"} for suite in suites for n in range(3)]
pq.write_table(pa.Table.from_pylist(rows), output / "responses.parquet")
print(json.dumps({"event": "progress", "suite": suites[0]["name"], "done": 3, "of": 3}), flush=True)
mean = 0.9 if options["--model"] == "candidate" else 0.2
summary = [
    {
        "suite": "cultural-safety",
        "metric": "safe",
        "items": 3,
        "scored": 3,
        "mean": mean,
        "low": 0.1,
        "high": 0.95,
        "unscored": {},
    }
]
(output / "manifest.json").write_text(json.dumps({"summary": summary, "model": options["--model"]}))
