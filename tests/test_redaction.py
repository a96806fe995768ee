"""Secrets and talk about them: what is withheld, what stays word for word, in text and in calls."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scenemem.base import secrets as redaction
from scenemem.base.secrets import WITHHELD, is_secret, redacted_call, without_secrets

# --- in text -------------------------------------------------------------------------------------

GIVEN = {
    # Said.
    "The wifi password is swordfish.": "swordfish",
    "The wifi password is swordfish. It is on the router.": "swordfish",
    "The password for the guest wifi is blue7 and it works.": "blue7",
    "My PIN is 4711.": "4711",
    "The PIN code for the garage is 0815, don't tell.": "0815",
    'The passphrase: "correct horse battery"': "horse",
    "Das Passwort lautet geheim123.": "geheim123",
    "Das Passwort für das WLAN ist sonne12": "sonne12",
    "Le mot de passe est soleil42.": "soleil42",
    "Le mot de passe du wifi est soleil42.": "soleil42",
    "La contraseña es luna77": "luna77",
    "La contraseña del wifi es luna77": "luna77",
    "Пароль: звезда5": "звезда5",
    "密码是abc123": "abc123",
    "密碼：abc123": "abc123",
    "パスワードはsakura9です": "sakura9",
    # Written as programs and files write it.
    '{"password": "hunter2x"}': "hunter2x",
    '{"user": "bob", "password":"hunter2x", "port": 5432}': "hunter2x",
    "{'password': 'hunter2x'}": "hunter2x",
    r"{\"password\": \"hunter2x\"}": "hunter2x",
    '"api_key": "abcd1234efgh5678"': "abcd1234",
    '{"apiKey": "abcd1234efgh5678"}': "abcd1234",
    '"secret": "abcdefg"': "abcdefg",
    '"passwords": ["hunter2x", "other1y"]': "other1y",
    '{"pin": 4711}': "4711",
    "DB_PASSWORD=hunter2x": "hunter2x",
    "PGPASSWORD=hunter2x psql": "hunter2x",
    "dbPassword: hunter2x": "hunter2x",
    "DB_PASSWORD_PROD=hunter2x": "hunter2x",
    "OPENAI_API_KEY=abcd1234efgh": "abcd1234efgh",
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG": "wJalr",
    "export TOKEN=abcdefgh": "abcdefgh",
    "JWT_SECRET=abcdefgh": "abcdefgh",
    "PASS=hunter2x": "hunter2x",
    "user: bob, pass: hunter2x": "hunter2x",
    "passwords: hunter2x": "hunter2x",
    "password := hunter2x": "hunter2x",
    "**Password:** hunter2x": "hunter2x",
    "- `password`: hunter2x": "hunter2x",
    "api_key=abc123def": "abc123def",
    "token: 8f7e6d5c4b3a": "8f7e6d",
    "password is in token=abc1xyz": "abc1xyz",
    # Announced, and by their shape.
    "postgres://bob:hunter2@db.local/x": "hunter2",
    "Authorization: Bearer abcdefghij": "abcdefghij",
    "Authorization: Basic Ym9iOmh1bnRlcg==": "Ym9iOm",
    "curl -H 'bearer 8f7e6d5c4b3a'": "8f7e6d",
    "Use ghp_abcdefghijklmnopqrstuvwxyz0123 for the repository.": "ghp_abc",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----": "MIIEow",
}


@pytest.mark.parametrize(("said", "secret"), GIVEN.items())
def test_a_given_secret_is_withheld_and_the_note_stays(said: str, secret: str) -> None:
    shown = without_secrets(said)
    assert secret not in shown
    assert WITHHELD in shown


HARMLESS = """
We ship without any Stripe key in the app.
My password manager is on the NAS.
My password is on the NAS.
The password is easy to guess.
The password is wrong. I tried it twice.
Our password policy is strict.
password: required
password: str | None = None
"password": null
password = os.environ["DB_PASSWORD"]
PASSWORD=${DB_PASSWORD}
The token budget is 500.
The token is expired.
The token is valid for 30 days.
max_token=5000
max_token=1000000
{"max_tokens": 5000, "token": 3}
Access tokens: 3, API keys: 2
The key question is: who pays?
The key is under the mat.
The secret of good bread is time.
The secret: patience.
Secret Santa is on Friday.
Secret Santa: Tom buys for Ann.
The secret ingredient is nutmeg.
Pass: 12, fail: 3
Protecting your passwords is crucial for your safety.
**Use strong passwords**: make them long.
Tips for passwords: 1. Use many words.
The server runs at http://localhost:8080 and at https://example.org:443/x
My boarding pass: LH123, seat 4A
bus_pass=monthly
I pass the bakery at 7.
My favorite pin is blue.
The bowling pin: a tall one
Pin 13 is the LED; set pin=13.
The bearer of the ring is Frodo.
He bought a bearer bond.
I have a basic understanding of statistics.
Das Passwort ist falsch.
Mein Passwort ist noch sicher.
Der Passwortmanager ist auf dem NAS.
Mon mot de passe est trop court.
Le mot de passe est sur le frigo.
La contraseña es muy larga.
La contraseña es incorrecta.
Мой пароль слишком короткий.
密码是什么？
密码不对。
密码是错的
The therapist said the author has access to the apiary.
""".strip().splitlines()


@pytest.mark.parametrize("said", HARMLESS)
def test_harmless_talk_about_keys_and_passwords_stays_word_for_word(said: str) -> None:
    assert without_secrets(said) == said


def test_json_stays_json_when_a_secret_is_taken_out() -> None:
    given = {"user": "bob", "password": "hunter2x", "n": 1}
    shown = without_secrets(json.dumps(given))
    assert json.loads(shown) == {**given, "password": WITHHELD}
    twice = json.loads(json.loads(without_secrets(json.dumps(json.dumps(given)))))
    assert twice == {**given, "password": WITHHELD}


def test_several_secrets_of_one_text_are_all_withheld() -> None:
    said = "DB_PASSWORD=one1two\nAPI_KEY=three3four\nThe PIN is 4711, and my password is swordfish."
    shown = without_secrets(said)
    assert shown == (
        f"DB_PASSWORD={WITHHELD}\nAPI_KEY={WITHHELD}\nThe PIN is {WITHHELD}, and my password is "
        f"{WITHHELD}."
    )


VOCABULARY = (
    "password Passwort pwd pin token secret api_key DB_PASSWORD pass passwords private key mot de "
    "passe contraseña пароль 密码是 パスワードは bearer basic :// sk-live- ghp_ AKIA eyJ is ist "
    "est : = => \" ' ` * \\ { } [ ] , ; . ! and for the a1b2c3d4e5f6g7h8 4711 swordfish "
    "os.environ ${ on"
)
PIECES = st.sampled_from([*VOCABULARY.split(), WITHHELD, " ", "\n", "-----BEGIN PRIVATE KEY-----"])
ANYTHING = st.one_of(
    st.text(max_size=120),
    st.lists(PIECES, max_size=16).map("".join),
    st.lists(PIECES, max_size=16).map(" ".join),
)


@given(ANYTHING)
@example("password=token=\"a b\" İ: pin='1234'")
def test_what_was_taken_out_once_is_taken_out(text: str) -> None:
    once = without_secrets(text)
    assert without_secrets(once) == once


@given(st.text(alphabet="bcdfghjlmnoruvwxyz ,.!?0123456789äöüßéñ我们あ", max_size=200))
def test_a_text_without_any_hint_is_unchanged(text: str) -> None:
    assert without_secrets(text) == text


# --- in values -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("password", "hunter2x"),
        ("wifi_password", "attic"),
        ("wifi password", "attic"),
        ("passwords", ["attic", "cellar"]),
        ("passwords", {"bank": "attic"}),
        ("pass", "attic"),
        ("secret", "attic"),
        ("client_secret", "attic"),
        ("api_key", "attic"),
        ("token", "abcdefgh"),
        ("pin", 4711),
        ("bank_pin", "4711"),
        ("settings", {"db": {"password": "attic"}}),
        ("note", "my password is swordfish"),
        ("anything", ["sk-live-abcdefghijklmnop"]),
    ],
)
def test_a_value_is_a_secret_by_its_key_or_by_itself(key: str, value: object) -> None:
    assert is_secret(key, value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("max_token", 5000),
        ("max_token", "100000"),
        ("token", 3),
        ("tokens", 500),
        ("favorite_pin", "blue"),
        ("pin", 13),
        ("password_manager", "on the NAS"),
        ("secret_santa", "Tom"),
        ("bus_pass", "monthly"),
        ("password", True),
        ("password", None),
        ("password", ""),
        ("locale", "en_US"),
        ("tags", ["a", "b"]),
    ],
)
def test_what_only_sounds_like_a_secret_is_none(key: str, value: object) -> None:
    assert not is_secret(key, value)


def test_values_within_values_are_looked_at_however_deep() -> None:
    deep: object = "attic"
    for _ in range(5_000):
        deep = [deep]
    assert is_secret("password", deep)
    assert not is_secret("place", deep)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), ANYTHING),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(ANYTHING, inner, max_size=3)
    ),
    max_leaves=6,
)


@given(ANYTHING, VALUES)
def test_any_value_can_be_asked_about(key: str, value: object) -> None:
    assert isinstance(is_secret(key, value), bool)


# --- in tool calls -------------------------------------------------------------------------------


def call_with(arguments: str) -> dict[str, Any]:
    return {
        "id": "call_1",
        "type": "function",
        "function": {"name": "remember", "arguments": arguments},
    }


def shown_arguments(arguments: str) -> Any:
    return json.loads(redacted_call(call_with(arguments))["function"]["arguments"])


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"password": "attic", "n": 1}, {"password": WITHHELD, "n": 1}),
        (
            {"key": "wifi_password", "value": "attic", "scope": "long"},
            {"key": "wifi_password", "value": WITHHELD, "scope": "long"},
        ),
        ({"key": "pin", "value": 4711}, {"key": "pin", "value": WITHHELD}),
        ({"all": [{"key": "pin", "value": 4711}]}, {"all": [{"key": "pin", "value": WITHHELD}]}),
        ({"passwords": ["attic", "cellar"]}, {"passwords": [WITHHELD, WITHHELD]}),
        ({"db": {"password": "attic"}}, {"db": {"password": WITHHELD}}),
        ({"passwords": {"bank": "attic"}}, {"passwords": {"bank": WITHHELD}}),
        (
            {"note": "the password is swordfish."},
            {"note": f"the password is {WITHHELD}."},
        ),
    ],
)  # fmt: skip
def test_the_secrets_of_a_calls_arguments_are_withheld(
    arguments: dict[str, Any], shown: dict[str, Any]
) -> None:
    assert shown_arguments(json.dumps(arguments)) == shown


def test_a_call_without_secrets_stays_as_it_is_to_the_letter() -> None:
    for arguments in ('{"key":"locale",  "value": "en_US"}', "", "not json", "[]", '"x"', "7"):
        call = call_with(arguments)
        assert redacted_call(call) == call


def test_arguments_that_are_no_json_are_read_as_text() -> None:
    [_, shown] = redacted_call(call_with("password=hunter2x"))["function"].values()
    assert shown == f"password={WITHHELD}"
    torn = redacted_call(call_with('{"password": "hunter2x", "n":'))["function"]["arguments"]
    assert torn == f'{{"password": "{WITHHELD}", "n":'


@pytest.mark.parametrize(
    "call",
    [
        {},
        {"id": 7, "function": None},
        {"function": "remember"},
        {"function": {"name": None, "arguments": {"password": "attic"}}},
        {"type": "custom", "custom": {"name": "shell", "input": "DB_PASSWORD=attic1"}},
        {"name": "remember", "arguments": '{"password": "attic"}'},
        {"name": "remember", "input": {"key": "pin", "value": "4711"}},
    ],
)
def test_calls_of_other_shapes_are_taken_as_they_come(call: dict[str, Any]) -> None:
    shown = redacted_call(call)
    assert shown.keys() == call.keys()
    assert "attic" not in json.dumps(shown) and "4711" not in json.dumps(shown)


def test_arguments_too_deep_to_look_into_are_withheld() -> None:
    for depth in (100, 5_000, 200_000):
        shown = redacted_call(call_with("[" * depth + '"attic"' + "]" * depth))
        assert shown["id"] == "call_1"


@given(st.dictionaries(ANYTHING, VALUES, max_size=3))
def test_any_call_is_shown_and_shown_again_the_same(call: dict[str, Any]) -> None:
    shown = redacted_call(call)
    assert repr(redacted_call(shown)) == repr(shown)


# --- the quick look -------------------------------------------------------------------------------

_HINTS = (*redaction._SHAPE_HINTS, *redaction._ANNOUNCED_HINTS, *redaction._GIVEN_HINTS)
_PIECES = st.sampled_from([*_HINTS, *GIVEN, *map(str.upper, _HINTS), " is ", ": ", "=", "k3y9"])


@pytest.mark.parametrize("hint", _HINTS)
def test_every_hint_at_a_secret_is_seen_at_a_first_look(hint: str) -> None:
    assert redaction._has_mark(hint)


@given(st.lists(_PIECES | st.text(max_size=9), max_size=9).map("".join))
def test_a_first_look_misses_no_secret(text: str) -> None:
    at_once = without_secrets(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redaction, "_has_mark", lambda lower: True)
        assert without_secrets(text) == at_once
