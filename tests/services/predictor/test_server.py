from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
import pytest_asyncio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from support import tiny_model

ASK = {"model": "tiny", "messages": [{"role": "user", "content": "안녕"}], "temperature": 0}


class Predictor:
    """`python -m gyeol.predictor` as a process on free ports."""

    def __init__(self, place: Path, *flags: str, **environment: str) -> None:
        self._ready = place / "ready.json"
        self.log = place / "log"
        argv = [sys.executable, "-m", "gyeol.predictor", "--http-port", "0", "--grpc-port", "0", *flags]
        env = {**os.environ, "OMP_NUM_THREADS": "1", "PREDICTOR_READY_FILE": str(self._ready), **environment}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(argv, env=env, stdout=log, stderr=log)

    def wait(self) -> Predictor:
        deadline = time.monotonic() + 120
        while not self._ready.exists():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.02)
        told = json.loads(self._ready.read_text())
        self.url, self.address = f"http://127.0.0.1:{told['metrics_port']}", f"127.0.0.1:{told['port']}"
        return self

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)

    def maps_torch(self) -> bool:
        return "libtorch" in Path(f"/proc/{self.process.pid}/maps").read_text()

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def served(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Predictor]:
    started = Predictor(tmp_path_factory.mktemp("served"), "--model", str(folder), "--name", "tiny").wait()
    yield started
    started.kill()


@pytest_asyncio.fixture
async def http(served: Predictor) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=served.url, timeout=240) as opened:
        yield opened


@pytest_asyncio.fixture
async def channel(served: Predictor) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(served.address) as opened:
        yield opened


def protocol() -> tuple[Any, Any]:
    """Messages and stub of the Open Inference Protocol."""
    from kserve.protocol.grpc import grpc_predict_v2_pb2, grpc_predict_v2_pb2_grpc

    from gyeol.predictor.inference import kserve  # noqa: F401 - makes kserve importable without its cluster client

    return grpc_predict_v2_pb2, grpc_predict_v2_pb2_grpc.GRPCInferenceServiceStub


async def test_before_the_first_request_it_is_ready_and_has_not_loaded_torch(
    served: Predictor, http: httpx.AsyncClient
) -> None:
    assert (await http.get("/v2/health/live")).json() == {"live": True}
    assert (await http.get("/v2/health/ready")).json() == {"ready": True}
    assert (await http.get("/v2/models/tiny/ready")).json()["ready"] is True
    listed = (await http.get("/openai/v1/models")).json()["data"]
    told = [(one["id"], one["digest"], one["max_model_len"]) for one in listed]
    assert told == [("tiny", tiny_model.DIGEST, 128)]
    assert not served.maps_torch()


async def test_the_first_request_loads_the_model(served: Predictor, http: httpx.AsyncClient) -> None:
    answer = await http.post("/openai/v1/chat/completions", json={**ASK, "max_tokens": 4})
    assert answer.status_code == 200, answer.text
    assert answer.headers["ai-disclosure"] == "mode=machine-generated"
    assert served.maps_torch()


async def test_the_v2_protocol_continues_texts(http: httpx.AsyncClient) -> None:
    tensor = {"name": "text", "datatype": "BYTES", "shape": [2], "data": ["안녕", "T"]}
    asked = {"id": "a", "inputs": [tensor], "parameters": {"max_tokens": 5, "temperature": 0}}
    answer = (await http.post("/v2/models/tiny/infer", json=asked)).json()
    texts = {one["name"]: one["data"] for one in answer["outputs"]}
    plain = await http.post(
        "/openai/v1/completions", json={"model": "tiny", "prompt": ["안녕", "T"], "max_tokens": 5, "temperature": 0}
    )
    assert answer["id"] == "a"
    assert texts["text"] == [choice["text"] for choice in plain.json()["choices"]]
    assert texts["finish_reason"] == ["length", "length"]


async def test_the_v1_protocol_continues_texts(http: httpx.AsyncClient) -> None:
    asked = {"instances": ["안녕"], "parameters": {"max_tokens": 5, "temperature": 0}}
    answer = await http.post("/v1/models/tiny:predict", json=asked)
    assert [one["finish_reason"] for one in answer.json()["predictions"]] == ["length"]


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/v1/models/tiny:predict", {"instances": "안녕"}, 400, "instances: give a list of texts"),
        ("/v1/models/tiny:predict", {"instances": ["a"], "parameters": {"topp": 1}}, 400, "parameters.topp"),
        ("/v1/models/huge:predict", {"instances": ["a"]}, 404, "huge"),
        (
            "/v2/models/tiny/infer",
            {"inputs": [{"name": "text", "datatype": "FP32", "shape": [1], "data": [1.0]}]},
            400,
            "inputs: give one tensor of datatype BYTES",
        ),
        (
            "/v2/models/tiny/infer",
            {"inputs": [{"name": "text", "datatype": "BYTES", "shape": [1], "data": ["서울 " * 200]}]},
            400,
            "inputs has",
        ),
        ("/v2/repository/models/tiny/unload", {}, 501, "deleting their deployment"),
    ],
)
async def test_wrong_requests_of_the_kserve_protocols_are_told(
    http: httpx.AsyncClient, path: str, body: dict[str, Any], status: int, said: str
) -> None:
    answer = await http.post(path, json=body)
    assert (answer.status_code, said in answer.json()["error"]) == (status, True), answer.text


async def test_grpc_serves_health_and_the_v2_protocol(channel: grpc.aio.Channel) -> None:
    pb, stub_of = protocol()
    health: Any = health_pb2_grpc.HealthStub(channel)
    found = await health.Check(health_pb2.HealthCheckRequest(service="inference.GRPCInferenceService"))
    assert found.status == health_pb2.HealthCheckResponse.SERVING
    stub = stub_of(channel)
    assert (await stub.ServerReady(pb.ServerReadyRequest())).ready
    assert (await stub.ModelReady(pb.ModelReadyRequest(name="tiny"))).ready
    request = pb.ModelInferRequest(model_name="tiny", id="b")
    request.parameters["max_tokens"].int64_param = 5
    request.parameters["temperature"].string_param = "0.0"  # the protocol has no other form for it
    tensor = request.inputs.add(name="text", datatype="BYTES", shape=[1])
    tensor.contents.bytes_contents.append("안녕".encode())
    answer = await stub.ModelInfer(request)
    assert [one.name for one in answer.outputs] == ["text", "finish_reason"]
    assert answer.outputs[1].contents.bytes_contents[0] == b"length"


async def test_grpc_tells_errors_by_their_meaning(channel: grpc.aio.Channel) -> None:
    pb, stub_of = protocol()
    stub = stub_of(channel)
    with pytest.raises(grpc.aio.AioRpcError) as missing:
        await stub.ModelInfer(pb.ModelInferRequest(model_name="huge"))
    assert missing.value.code() is grpc.StatusCode.NOT_FOUND
    with pytest.raises(grpc.aio.AioRpcError) as wrong:
        await stub.ModelInfer(pb.ModelInferRequest(model_name="tiny"))
    assert wrong.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "inputs: give one tensor" in (wrong.value.details() or "")


async def test_metrics_count_tokens(http: httpx.AsyncClient) -> None:
    async def tokens() -> float:
        lines = (await http.get("/metrics")).text.splitlines()
        return float(next(line for line in lines if line.startswith("gyeol_predictor_tokens_total")).split()[1])

    before = await tokens()
    await http.post("/openai/v1/chat/completions", json={**ASK, "max_tokens": 7})
    assert await tokens() - before == 7


async def test_an_answer_nobody_waits_for_is_given_up(http: httpx.AsyncClient) -> None:
    async def waiting() -> float:
        lines = (await http.get("/metrics")).text.splitlines()
        return sum(float(line.split()[1]) for line in lines if line.startswith("gyeol_predictor_tokens_total"))

    long = {**ASK, "n": 128, "max_tokens": 120}
    with pytest.raises(httpx.ReadTimeout):
        await http.post("/openai/v1/chat/completions", json=long, timeout=0.5)
    await asyncio.sleep(0.5)
    settled = await waiting()
    await asyncio.sleep(0.5)
    assert await waiting() == settled


async def test_preloaded_it_is_ready_when_loaded_and_at_sigterm_finishes_the_answers_in_hand(
    folder: Path, tmp_path: Path
) -> None:
    started = Predictor(tmp_path, "--model", str(folder), "--name", "tiny", "--preload").wait()
    try:
        async with httpx.AsyncClient(base_url=started.url, timeout=240) as client:
            codes = [(await client.get("/v2/health/ready")).status_code]
            while codes[-1] != 200:
                await asyncio.sleep(0.1)
                codes.append((await client.get("/v2/health/ready")).status_code)
            assert codes[0] == 503
            assert started.maps_torch()
            asked = {**ASK, "max_tokens": 120, "n": 16, "stream": True, "temperature": 1.5, "seed": 1}
            async with client.stream("POST", "/openai/v1/chat/completions", json=asked) as answer:
                lines = answer.aiter_lines()
                await anext(lines)
                started.process.send_signal(signal.SIGTERM)
                rest = [line async for line in lines if line]
            assert rest[-1] == "data: [DONE]"
            finished = [json.loads(line[6:])["choices"][0]["finish_reason"] for line in rest[:-1]]
            assert len([one for one in finished if one]) == 16
            assert started.process.wait(timeout=60) == 0, started.log.read_text()
            with pytest.raises(httpx.ConnectError):
                await client.get("/v2/health/ready")
    finally:
        started.kill()


async def test_without_a_model_it_serves_health(tmp_path: Path) -> None:
    started = Predictor(tmp_path).wait()
    try:
        async with httpx.AsyncClient(base_url=started.url) as client:
            assert (await client.get("/v2/health/ready")).status_code == 200
            assert (await client.get("/openai/v1/models")).json()["data"] == []
            answer = await client.post("/openai/v1/chat/completions", json=ASK)
            assert answer.json()["error"]["message"] == "model = 'tiny': not served here; served: none"
        assert started.end() == 0
    finally:
        started.kill()


def outcome(place: Path, *flags: str, **environment: str) -> tuple[int, str]:
    ended = Predictor(place, *flags, **environment)
    return ended.process.wait(timeout=60), ended.log.read_text()


def test_a_folder_without_a_manifest_ends_it_with_one_line(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / "manifest.json").unlink()
    code, said = outcome(tmp_path, "--model", str(copy))
    assert code == 2
    assert said == (
        f"gyeol-predictor: {copy}/manifest.json is missing: the model was not fetched to its end; fetch the model again\n"
    )


def test_a_wrong_setting_ends_it_with_its_name(tmp_path: Path) -> None:
    code, said = outcome(tmp_path, PREDICTOR_BATCH_ROWS="many")
    assert (code, said.startswith("gyeol-predictor: PREDICTOR_BATCH_ROWS='many': ")) == (2, True)


def test_a_taken_port_ends_it_with_the_remedy(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = outcome(tmp_path, "--http-port", str(port))
    assert code == 1
    assert f"cannot listen on 127.0.0.1:{port}" in said
    assert "choose another --http-port or free this one" in said


async def test_weights_that_are_not_the_listed_ones_end_it(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x7f")
    started = Predictor(tmp_path, "--model", str(copy), "--name", "tiny").wait()
    try:
        async with httpx.AsyncClient(base_url=started.url, timeout=240) as client:
            answer = await client.post("/openai/v1/chat/completions", json=ASK)
            assert answer.status_code == 503
            assert "model.safetensors is not the file its manifest lists" in answer.json()["error"]["message"]
        assert started.process.wait(timeout=60) == 2
        assert "model.safetensors is not the file its manifest lists" in started.log.read_text()
    finally:
        started.kill()
