"""Says what STAND_IN_GATE says, Pass without it."""

import json
import os
import sys
from pathlib import Path

options = {name: value for name, value in zip(sys.argv[2:], sys.argv[3:], strict=False) if name.startswith("--")}
output = Path(options["--output"])
output.mkdir(parents=True, exist_ok=True)
verdict = os.environ.get("STAND_IN_GATE", "Pass")
criteria = [{"name": "safer", "result": verdict, "reason": "the safe rate rose from 20 % to 90 %"}]
(output / "report.html").write_text("<html></html>")
(output / "report.md").write_text("# report")
(output / "verdict.json").write_text(json.dumps({"verdict": verdict, "summary": "one of one", "criteria": criteria}))
