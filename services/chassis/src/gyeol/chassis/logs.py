"""Structured logs on standard error: constant event strings with fields, never record text.

`structlog.contextvars.bind_contextvars(run_id=...)` binds a field for everything that follows in the same task;
the bus and the gRPC server bind `run_id` and `record_id` themselves.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

import structlog

if TYPE_CHECKING:
    from gyeol.chassis.settings import ServiceSettings

_REDACTED = ("password", "secret", "token", "api_key", "apikey", "authorization", "credentials")


def get(**fields: Any) -> structlog.stdlib.BoundLogger:
    """A logger that adds the given fields to each line."""
    logger: structlog.stdlib.BoundLogger = structlog.get_logger(**fields)
    return logger


def configure(settings: ServiceSettings, service: str) -> None:
    """Sets logging up once, at the start of the process."""
    renderer: Any = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    if settings.log_format == "json":
        renderer = structlog.processors.JSONRenderer(ensure_ascii=False)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _redact,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[settings.log_level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(service=service)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, force=True)


def _redact(_: Any, __: str, event: Any) -> Any:
    for field in event:
        if any(word in field.lower() for word in _REDACTED):
            event[field] = "***"
    return event
