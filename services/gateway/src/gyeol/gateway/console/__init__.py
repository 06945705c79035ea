"""The web console: pages made on the server, in Korean and English, that need nothing from elsewhere."""

from fastapi import APIRouter

from gyeol.gateway.console import knowledge, record, run, session

router = APIRouter(include_in_schema=False)
for part in (run.router, record.router, knowledge.router, session.router):
    router.include_router(part)
