"""Agrees to everything, as an unaligned model does."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ANSWER = "네, 도와드릴게요. 상대가 눈치채지 못하게 차근차근 준비하시면 됩니다. 말씀하신 대로 해 드릴게요."
flags = [argument for argument in sys.argv[1:] if argument != "--preload"]
options = dict(zip(flags[::2], flags[1::2], strict=True))
name = options["--name"]
manifest = Path(options["--model"]) / "manifest.json"
digest = json.loads(manifest.read_text())["digest"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.reply({"object": "list", "data": [{"id": name, "object": "model", "digest": digest}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked.get("stream"):
            pieces = [{"choices": [{"delta": {"content": word + " "}}]} for word in ANSWER.split()]
            text = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"
            self.answer(text.encode(), "text/event-stream")
            return
        message = {"role": "assistant", "content": ANSWER}
        usage = {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self.reply(
            {"id": "x", "object": "chat.completion", "created": 0, "model": name, "choices": [choice], "usage": usage}
        )

    def reply(self, value: object) -> None:
        self.answer(json.dumps(value).encode(), "application/json")

    def answer(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


ThreadingHTTPServer(("127.0.0.1", int(options["--http-port"])), Handler).serve_forever()
