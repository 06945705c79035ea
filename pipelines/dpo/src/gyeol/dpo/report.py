"""Where training tells what it does: a line on standard output, a line in `metrics.jsonl`, a point in the ledger."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_NAMES = {
    "loss": "loss",
    "rewards/margins": "margin",
    "rewards/accuracies": "accuracy",
    "logps/chosen": "chosen_logp",
    "logps/rejected": "rejected_logp",
    "learning_rate": "learning_rate",
    "grad_norm": "grad_norm",
}


class Report:
    """One training's reports; silent in every process but the leading one."""

    def __init__(self, output: Path, run_id: str, ledger_address: str, speaks: bool) -> None:
        self._path = output / "metrics.jsonl"
        self._run_id = run_id
        self._speaks = speaks
        self._stub: Any = None
        if speaks and ledger_address and run_id:
            import grpc

            from gyeol.api.ledger.v1.ledger_pb2_grpc import ArtifactServiceStub

            self._stub = ArtifactServiceStub(grpc.insecure_channel(ledger_address))  # type: ignore[arg-type]

    def say(self, event: str, **fields: Any) -> None:
        """One line of progress."""
        if self._speaks:
            sys.stdout.write(json.dumps({"event": event, **fields}, ensure_ascii=False) + "\n")
            sys.stdout.flush()

    def step(self, step: int, steps: int, logged: Mapping[str, Any]) -> None:
        """Metrics of one logged step, under the names Gyeol uses."""
        values = {ours: round(float(logged[theirs]), 6) for theirs, ours in _NAMES.items() if theirs in logged}
        if not self._speaks or not values:
            return
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"step": step, **values}) + "\n")
        self.say("step", step=step, of=steps, **values)
        self._record(step, values)

    def recall(self, until: int) -> list[dict[str, float]]:
        """Metrics up to a step; later ones belong to steps that will be made again and are removed."""
        if not self._path.exists():
            return []
        rows = [json.loads(line) for line in self._path.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
        kept = [row for row in rows if row["step"] <= until]
        if self._speaks:
            self._path.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
        return kept

    def _record(self, step: int, values: Mapping[str, float]) -> None:
        if self._stub is None:
            return
        import grpc

        from gyeol.api.ledger.v1.ledger_pb2 import MetricPoint, RecordMetricsRequest

        points = [MetricPoint(step=step, name=name, value=value) for name, value in values.items()]
        try:
            self._stub.RecordMetrics(RecordMetricsRequest(run_id=self._run_id, points=points), timeout=5)
        except grpc.RpcError as error:
            # Metrics are also in the file; a ledger that is down must not end a training.
            self.say("warning", message=f"metrics were not recorded: {error.code().name}")
