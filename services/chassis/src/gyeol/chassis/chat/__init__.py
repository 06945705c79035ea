"""Calls to OpenAI-compatible model endpoints: paced, cached, budgeted, and honest about failure."""

from gyeol.chassis.chat.answer import GarbledError
from gyeol.chassis.chat.budget import Budget, LedgerBudget
from gyeol.chassis.chat.client import Chat
from gyeol.chassis.chat.completion import Completion, Message, Usage
from gyeol.chassis.chat.endpoint import Endpoint, Price, load_endpoints
from gyeol.chassis.chat.probe import probe

__all__ = [
    "Budget",
    "Chat",
    "Completion",
    "Endpoint",
    "GarbledError",
    "LedgerBudget",
    "Message",
    "Price",
    "Usage",
    "load_endpoints",
    "probe",
]
