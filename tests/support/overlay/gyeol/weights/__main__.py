"""Writes a manifest and nothing else; STAND_IN_WEIGHTS=unreadable refuses."""

import json
import os
import sys
from pathlib import Path

output = Path(sys.argv[sys.argv.index("--output") + 1])
if os.environ.get("STAND_IN_WEIGHTS") == "unreadable":
    print(json.dumps({"event": "error", "message": f"{sys.argv[2]}: model.safetensors is cut short; fetch it again"}))
    sys.exit(2)
output.mkdir(parents=True, exist_ok=True)
(output / "manifest.json").write_text(json.dumps({"digest": "sha256:" + "a" * 64}))
