"""Reads the dataset's manifest, reports two steps and writes a manifest; STAND_IN_DPO=full fails as a full disk would."""

import hashlib
import json
import os
import sys
import time
from pathlib import Path

what, options = sys.argv[1], dict(zip(sys.argv[2::2], sys.argv[3::2], strict=True))
output = Path(options["--output"])
dataset = json.loads((Path(options["--dataset"]) / "manifest.json").read_text())
json.loads(Path(options["--parameters"]).read_text())
if os.environ.get("RANK", "0") != "0":
    sys.exit(0)
if what == "preflight":
    (output / "preflight.json").write_text(json.dumps({"summary": f"{dataset['rows']} pairs fit"}))
    sys.exit(0)
if os.environ.get("STAND_IN_DPO") == "full":
    print(json.dumps({"event": "error", "message": "no space left on the device; free some and run again"}), flush=True)
    sys.exit(1)
for step in (1, 2):
    print(
        json.dumps({"event": "step", "step": step, "steps": 2, "loss": 0.5 / step, "margin": float(step)}), flush=True
    )
    time.sleep(0.1)
digest = "sha256:" + hashlib.sha256(dataset["digest"].encode()).hexdigest()
(output / "model").mkdir(parents=True, exist_ok=True)
(output / "model" / "manifest.json").write_text(json.dumps({"digest": digest}))
manifest = {"digest": digest, "training": {"margin": 2.0, "accuracy": 0.9}, "world": os.environ["WORLD_SIZE"]}
(output / "manifest.json").write_text(json.dumps(manifest))
