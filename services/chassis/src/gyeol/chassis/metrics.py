"""Prometheus metrics that every service has."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram, start_http_server

RECORDS = Counter("gyeol_records", "Messages that a stage is done with, by what became of them.", ["stage", "outcome"])
HANDLER_SECONDS = Histogram(
    "gyeol_handler_seconds",
    "Seconds a stage works on one message.",
    ["stage"],
    buckets=(0.001, 0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300),
)
IN_WORK = Gauge("gyeol_in_work", "Messages in work now.", ["stage", "stream"])
FETCH_AGE = Gauge(
    "gyeol_fetch_age_seconds", "Seconds since the stage last heard from its consumer.", ["stage", "stream"]
)
RESUBSCRIBED = Counter("gyeol_resubscribed", "Times a silent consumer was subscribed again.", ["stage"])
BUS_ERRORS = Counter("gyeol_bus_errors", "Errors that the NATS connection reported.", ["kind"])
CALLS = Counter("gyeol_rpc_calls", "gRPC calls answered, by method and status.", ["method", "status"])
MODEL_CALLS = Counter("gyeol_model_calls", "Calls to model endpoints, by what became of them.", ["endpoint", "outcome"])
MODEL_LIMIT = Gauge("gyeol_model_limit", "Calls that an endpoint is given at once.", ["endpoint"])


def serve(host: str, port: int) -> int:
    """Serves `/metrics`; returns the port."""
    server, _ = start_http_server(port, addr=host)
    return int(server.server_port)
