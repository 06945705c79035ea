"""Structured logs, on standard error unless told otherwise: constant event strings with fields, never record text.

    log = logs.get()
    log.info("policy_rendered", policy=policy.id)

The bus binds `run_id` and `record_id` for everything that happens while a message is in work.
What a library's exception says may quote a record, so a traceback is logged without its message.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from typing import TYPE_CHECKING, Any, Final, TextIO

from gyeol.chassis.lean import without

with without("rich"):
    import structlog

if TYPE_CHECKING:
    from gyeol.chassis.settings import ServiceSettings

_SECRET: Final = re.compile(r"(^|_)(password|secret|token|api_?key|authorization|credentials?)$", re.IGNORECASE)


def get(**fields: Any) -> structlog.stdlib.BoundLogger:
    """A logger that adds the given fields to each line."""
    logger: structlog.stdlib.BoundLogger = structlog.get_logger(**fields)
    return logger


def configure(settings: ServiceSettings, service: str, file: TextIO | None = None) -> None:
    """Sets logging up once, at the start of the process; into `file` where standard error belongs to a person."""
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    renderer: Any = structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
    if settings.log_format == "console":
        renderer = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _with_frames,
            _redacted,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=file or sys.stderr),
    )
    structlog.contextvars.bind_contextvars(service=service)
    logging.basicConfig(handlers=[_Forwarding()], level=max(level, logging.WARNING), force=True)


class _Forwarding(logging.Handler):
    """Gives the lines of libraries the same form."""

    def emit(self, record: logging.LogRecord) -> None:
        get().log(
            record.levelno,
            "library_logged",
            logger=record.name,
            message=record.getMessage(),
            exc_info=record.exc_info or None,
        )


def _with_frames(_: Any, __: str, event: Any) -> Any:
    given = event.pop("exc_info", None)
    error = given[1] if isinstance(given, tuple) else sys.exc_info()[1] if given is True else given
    if isinstance(error, BaseException):
        event["exception"] = type(error).__name__
        event["frames"] = "".join(traceback.format_tb(error.__traceback__)).splitlines()
    return event


def _redacted(_: Any, __: str, event: Any) -> Any:
    for name in event:
        if _SECRET.search(name):
            event[name] = "***"
    return event
