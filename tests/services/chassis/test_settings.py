from pathlib import Path

import pytest
from pydantic_settings import SettingsConfigDict

from gyeol.chassis.errors import InvalidError
from gyeol.chassis.settings import ServiceSettings, load


class Settings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="SEED_")

    policy_address: str = "127.0.0.1:7001"
    """Where the policy service listens."""
    cultures: Path
    """Folder of the packs."""


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEED_CULTURES", "/packs")
    monkeypatch.setenv("SEED_PORT", "7000")
    monkeypatch.setenv("SEED_NATS_URL", "nats://broker:4222")
    settings = load(Settings)
    assert (settings.cultures, settings.port, settings.nats_url) == (Path("/packs"), 7000, "nats://broker:4222")
    assert (settings.policy_address, settings.slots, settings.trace_file) == ("127.0.0.1:7001", 64, None)


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("SEED_PORT", "70000", "SEED_PORT='70000': Input should be less than or equal to 65535"),
        ("SEED_SLOTS", "0", "SEED_SLOTS='0': Input should be greater than or equal to 1"),
        ("SEED_LOG_LEVEL", "loud", "SEED_LOG_LEVEL='loud': Input should be 'debug', 'info'"),
        ("SEED_TRACE_RATIO", "2", "SEED_TRACE_RATIO='2'"),
        ("SEED_PORT", "tcp://10.0.0.1:80", "set enableServiceLinks: false"),
    ],
)
def test_a_wrong_setting_names_variable_value_and_remedy(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, words: str
) -> None:
    monkeypatch.setenv("SEED_CULTURES", "/packs")
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidError) as caught:
        load(Settings)
    assert words in str(caught.value)


def test_a_setting_that_is_missing_is_named() -> None:
    with pytest.raises(InvalidError, match="SEED_CULTURES is not set: set the environment variable"):
        load(Settings)
