from decimal import Decimal
from pathlib import Path

import pytest

from gyeol.chassis.chat import Chat, Endpoint, Message, Price, load_endpoints
from gyeol.chassis.chat.address import allowed
from gyeol.chassis.errors import InvalidError, NotFoundError
from support.openai_stub import openai_stub

FULL = """
models:
- name: writer-a
  baseUrl: http://127.0.0.1:9000/v1
  model: some-model
  revision: sha256:1
  apiKeyEnv: WRITER_A_KEY
  price: {inputPerMillion: "0.15", outputPerMillion: "0.60", currency: USD}
  concurrency: 8
  requestsPerMinute: 600
  timeoutSeconds: 60
  temperature: "0.7"
  roles: [filler]
- name: judge-b
  baseUrl: https://models.example/v1
  model: other
"""


def load(folder: Path, text: str) -> dict[str, Endpoint]:
    (folder / "models.yaml").write_text(text, encoding="utf-8")
    return load_endpoints(folder, "models", {"WRITER_A_KEY": "sk-1"})


def one(line: str) -> str:
    return f"models:\n- name: a\n  baseUrl: http://127.0.0.1:1/v1\n  model: m\n  {line}\n"


def test_a_models_file_is_read(tmp_path: Path) -> None:
    endpoints = load(tmp_path, FULL)
    assert endpoints["writer-a"] == Endpoint(
        name="writer-a",
        base_url="http://127.0.0.1:9000/v1",
        model="some-model",
        revision="sha256:1",
        api_key_env="WRITER_A_KEY",
        api_key="sk-1",
        price=Price(Decimal("0.15"), Decimal("0.60"), "USD"),
        concurrency=8,
        requests_per_minute=600,
        timeout_seconds=60.0,
        temperature=Decimal("0.7"),
        roles=("filler",),
    )
    assert endpoints["judge-b"].price is None
    assert endpoints["judge-b"].concurrency == 16


def test_builtin_needs_no_file(tmp_path: Path) -> None:
    assert load_endpoints(tmp_path, "builtin") == {}


@pytest.mark.parametrize("name", ["absent", "../models", "/etc/passwd"])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFoundError, match="does not exist: create it, or use the endpoints `builtin`"):
        load_endpoints(tmp_path / "folder", name)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(one("colour: red"), r"models\[0\]\.colour is not known: remove it", id="unknown key"),
        pytest.param(one("concurrency: many"), r"models\[0\]\.concurrency='many'", id="wrong type"),
        pytest.param(
            one("concurrency: 0"), r"models\[0\]\.concurrency=0: .*greater than or equal to 1", id="too small"
        ),
        pytest.param(one("temperature: 0.7"), r"models\[0\]\.temperature=0\.7: .*decimal string", id="a float"),
        pytest.param(one('temperature: "9"'), r"models\[0\]\.temperature='9': .*less than or equal to 2", id="too hot"),
        pytest.param(
            one('price: {inputPerMillion: "1", outputPerMillion: "1"}'), r"price\.currency is missing", id="currency"
        ),
        pytest.param(
            one('price: {inputPerMillion: "-1", outputPerMillion: "1", currency: USD}'),
            r"inputPerMillion='-1'",
            id="negative",
        ),
        pytest.param(
            one("apiKeyEnv: ABSENT_KEY"), r"models\[0\]\.apiKeyEnv='ABSENT_KEY': set this environment", id="no key"
        ),
        pytest.param("models:\n- name: a\n  model: m\n", r"models\[0\]\.baseUrl is missing: add it", id="no URL"),
        pytest.param(FULL.replace("judge-b", "writer-a"), r"models\[1\]\.name='writer-a' is there twice", id="twice"),
        pytest.param(FULL.replace("judge-b", "Judge B"), r"models\[1\]\.name='Judge B'", id="bad name"),
        pytest.param("models: []", r"models=\[\]", id="empty"),
        pytest.param("", r"models\.yaml: .*expected `models:`", id="nothing"),
        pytest.param("- a", r"models\.yaml: .*expected `models:`", id="a list"),
        pytest.param("models: [", r"models\.yaml:1: not YAML: ", id="no YAML"),
        pytest.param("models:\n\t- a", r"models\.yaml:2: not YAML: .*'\\t'", id="a tab"),
        pytest.param(one("model: another"), r"models\.yaml:\d+: .*'model' is written twice", id="a key twice"),
        pytest.param("? [a]\n: 1", r"models\.yaml:1: not YAML: found unhashable key", id="a list as key"),
        pytest.param("models: " + "[" * 5000 + "]" * 5000, r"models\.yaml: nested too deeply", id="deep"),
        pytest.param(one("x: &a [*a]"), r"models\[0\]\.x is not known", id="cycle"),
    ],
)
def test_a_fault_names_file_field_value_and_remedy(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InvalidError, match=words) as caught:
        load(tmp_path, text)
    assert "models.yaml" in str(caught.value)


def test_a_key_written_where_its_variable_belongs_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(InvalidError, match="write the name of an environment variable") as caught:
        load(tmp_path, one("apiKeyEnv: sk-very-secret"))
    assert "sk-very-secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest",
        "http://[fe80::1]/v1",
        "http://[::ffff:169.254.169.254]/v1",
        "http://metadata.google.internal/v1",
        "http://METADATA.google.internal./v1",
        "http://100.100.100.200/v1",
        "http://[fd00:ec2::254]/v1",
        "http://0.0.0.0:80/v1",
        "http://224.0.0.1/v1",
        "ftp://models.example/v1",
        "file:///etc/passwd",
        "models.example/v1",
        "http://",
        "http://models.example:port/v1",
        "http://models.example/v1?key=1",
        "http://[models.example/v1",
    ],
)
def test_an_address_that_is_no_model_endpoint_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(InvalidError, match=r"models\[0\]\.baseUrl"):
        load(tmp_path, f"models:\n- name: a\n  baseUrl: '{url}'\n  model: m\n")


def test_a_password_in_a_url_is_refused_and_not_repeated() -> None:
    with pytest.raises(InvalidError, match="holds a user or password") as caught:
        Endpoint(name="a", base_url="http://me:hunter2@models.example/v1", model="m")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.7", "::1", "203.0.113.9"])
def test_machines_and_clusters_may_be_called(address: str) -> None:
    assert allowed(address)


@pytest.mark.parametrize("host", ["0xA9FEA9FE", "169.254.0xA9FE", "0xA9.0xFE.0xA9.0xFE"])
async def test_what_a_name_resolves_to_is_checked_when_it_is_called(host: str) -> None:
    """These are 169.254.169.254 in forms that only the resolver understands."""
    chat = Chat()
    sly = Endpoint(name="a", base_url=f"http://{host}/v1", model="m")
    with pytest.raises(InvalidError, match="link-local or metadata address"):
        await chat.complete(sly, [Message("user", "안녕하세요")])
    await chat.close()


async def test_a_name_that_resolves_to_this_machine_may_be_called() -> None:
    chat = Chat()
    async with openai_stub() as stub:
        named = Endpoint(name="b", base_url=stub.url.replace("127.0.0.1", "localhost"), model="m")
        assert (await chat.complete(named, [Message("user", "안녕하세요")])).text
    await chat.close()
