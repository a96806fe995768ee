"""The chat model against a real server on loopback that plays one fault after the other."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from scripted_server import (
    Act,
    ScriptedServer,
    answers,
    cuts_off,
    fails,
    refuses,
    says,
    streams,
    tool_call,
)

from scenemem.base.errors import (
    ModelError,
    ModelRequestError,
    ModelUnavailableError,
    PromptTooLongError,
)
from scenemem.engines.openai.chat import LONGEST_WAIT, MOST_TRIES, Completion, OpenAIChat

HELLO = [{"role": "user", "content": "Hello"}]
SCHEMA = {"title": "cells", "type": "object", "properties": {}}
TOOL = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}


class Waits(list[float]):
    """Notes the pauses that are asked for instead of making them."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def chat(waits: Waits) -> Callable[..., OpenAIChat]:
    def make(server: ScriptedServer, **settings: Any) -> OpenAIChat:
        settings = {"base_url": server.base_url, "sleep": waits, **settings}
        return OpenAIChat("tiny", **settings)

    return make


Make = Callable[..., OpenAIChat]


# -- answers -------------------------------------------------------------------------------------


def test_an_answer_brings_text_finish_reason_and_usage(chat: Make) -> None:
    with ScriptedServer(says("Hi!", usage=(7, 2))) as server:
        completion = chat(server).complete(HELLO)
    assert completion.text == "Hi!"
    assert completion.finish_reason == "stop"
    assert completion.usage is not None
    assert (completion.usage.prompt, completion.usage.completion) == (7, 2)


def test_the_request_has_the_articles_settings_by_default(chat: Make) -> None:
    with ScriptedServer(says("Hi!")) as server:
        chat(server).complete(HELLO, schema=SCHEMA, tools=[TOOL])
    body = server.requests[0].body
    assert (body["model"], body["messages"]) == ("tiny", HELLO)
    assert (body["temperature"], body["max_tokens"]) == (0.1, 500)
    assert body["response_format"]["json_schema"]["name"] == "cells"
    assert body["tools"] == [TOOL]


def test_settings_that_are_none_are_never_sent(chat: Make) -> None:
    with ScriptedServer(says("Hi!")) as server:
        chat(server, temperature=None, max_tokens=None).complete(
            HELLO, max_tokens=50, temperature=0.5
        )
    assert set(server.requests[0].body) == {"model", "messages"}


def test_a_call_may_ask_for_other_settings(chat: Make) -> None:
    with ScriptedServer(says("Hi!")) as server:
        chat(server).complete(HELLO, max_tokens=50, temperature=0.0)
    body = server.requests[0].body
    assert (body["max_tokens"], body["temperature"]) == (50, 0.0)


def test_tool_calls_come_in_the_chat_apis_shape(chat: Make) -> None:
    call = tool_call("search", '{"query": "Oslo"}')
    with ScriptedServer(says(None, finish_reason="tool_calls", tool_calls=[call])) as server:
        completion = chat(server).complete(HELLO, tools=[TOOL])
    assert completion.tool_calls == (call,)
    assert completion.text == ""


def test_half_surrogates_are_cleaned_both_ways(chat: Make) -> None:
    with ScriptedServer(says("Leeds \ud83d, \ud83d\ude00")) as server:
        completion = chat(server).complete([{"role": "user", "content": "where \udc00?"}])
    assert completion.text == "Leeds \ufffd, \U0001f600"
    assert server.requests[0].messages[0]["content"] == "where \ufffd?"


def test_content_in_parts_is_read_without_the_thoughts(chat: Make) -> None:
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "Oslo"}]
    with ScriptedServer(answers({"choices": [{"message": {"content": parts}}]})) as server:
        assert chat(server).complete(HELLO).text == "Oslo"


def test_no_choices_empty_text_and_a_refusal_are_told_apart(chat: Make) -> None:
    with ScriptedServer(answers({"choices": []})) as server:
        with pytest.raises(ModelError, match=r"without choices.*") as raised:
            chat(server).complete(HELLO)
        assert type(raised.value) is ModelError
    with ScriptedServer(says("", finish_reason="length")) as server:
        empty = chat(server).complete(HELLO)
    with ScriptedServer(says(None, refusal="I can't help with that.")) as server:
        refused = chat(server).complete(HELLO)
    assert (empty.text, empty.finish_reason, empty.refusal) == ("", "length", None)
    assert (refused.text, refused.refusal) == ("", "I can't help with that.")


@pytest.mark.parametrize(
    "document", ["<html>nginx</html>", "[]", "null", '{"choices": null}', '{"choices": [4]}', ""]
)
def test_an_answer_that_is_no_completion_is_an_error_with_the_address(
    document: str, chat: Make
) -> None:
    with ScriptedServer(answers(document)) as server:
        with pytest.raises(ModelError) as raised:
            chat(server).complete(HELLO)
        assert f"{server.base_url}/chat/completions" in str(raised.value)
        assert len(server.requests) == 1


# -- retries -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        fails(429, "slow down"),
        fails(500),
        fails(503),
        cuts_off(),
        cuts_off(b'{"choices": ['),
        answers({"error": {"message": "overloaded", "code": 529}}),
        Act(delay=0.5),
    ],
    ids=["429", "500", "503", "cut", "cut in the answer", "error under 200", "timeout"],
)
def test_a_fault_that_may_pass_is_tried_again_a_few_times(
    fault: Act, chat: Make, waits: Waits
) -> None:
    with ScriptedServer(fault, says("Hi!")) as server:
        assert chat(server, timeout=0.2).complete(HELLO).text == "Hi!"
    with ScriptedServer(fault) as server:
        with pytest.raises(ModelUnavailableError) as raised:
            chat(server, timeout=0.2).complete(HELLO)
        assert len(server.requests) == MOST_TRIES
    assert "'tiny' at http://127.0.0.1:" in str(raised.value)
    assert all(0 < wait <= LONGEST_WAIT for wait in waits)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_never_repeated(status: int, chat: Make, waits: Waits) -> None:
    with ScriptedServer(fails(status, "no such thing")) as server:
        with pytest.raises(ModelRequestError, match=f"{status}: no such thing") as raised:
            chat(server).complete(HELLO)
        assert raised.value.status == status
        assert len(server.requests) == 1
    assert waits == []


def test_a_used_up_quota_is_no_rate_limit(chat: Make) -> None:
    with ScriptedServer(fails(429, "no credit", code="insufficient_quota")) as server:
        with pytest.raises(ModelRequestError, match="quota"):
            chat(server).complete(HELLO)
        assert len(server.requests) == 1


def test_a_server_that_is_not_there_is_told_with_its_address(chat: Make, waits: Waits) -> None:
    with ScriptedServer(says("Hi!")) as server:
        gone = chat(server)
    with pytest.raises(ModelUnavailableError, match=r"127\.0\.0\.1.*refused"):
        gone.complete(HELLO)
    assert len(waits) == MOST_TRIES - 1


def test_retry_after_is_obeyed_within_the_cap(chat: Make, waits: Waits) -> None:
    with ScriptedServer(fails(429, retry_after="7"), says("Hi!")) as server:
        assert chat(server).complete(HELLO).text == "Hi!"
    assert waits == [7.0]


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_beyond_the_cap_a_call_fails_at_once(form: str, chat: Make, waits: Waits) -> None:
    an_hour_on = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    asked = "3600" if form == "seconds" else an_hour_on
    with ScriptedServer(fails(429, "quota of the hour", retry_after=asked)) as server:
        with pytest.raises(ModelUnavailableError, match=r"try again in 3\d\d\d s"):
            chat(server).complete(HELLO)
        assert len(server.requests) == 1
    assert waits == []


@pytest.mark.parametrize("asked", ["soon", "-1", "Thu, 99 Foo 2000", ""])
def test_a_retry_after_that_can_not_be_read_counts_as_none(
    asked: str, chat: Make, waits: Waits
) -> None:
    with ScriptedServer(fails(503, retry_after=asked), says("Hi!")) as server:
        assert chat(server).complete(HELLO).text == "Hi!"
    assert waits == [0.5]


# -- adapting ------------------------------------------------------------------------------------


def newer_model(received: Any) -> Act:
    """Wants `max_completion_tokens`, and no temperature but its own."""
    if "max_tokens" in received.body:
        return fails(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            code="unsupported_parameter",
            param="max_tokens",
        )
    if "temperature" in received.body:
        return fails(400, "temperature does not support 0.1 with this model", param="temperature")
    return says("Hi!")


def test_what_a_server_refuses_is_learnt_once(chat: Make) -> None:
    with ScriptedServer(act=newer_model) as server:
        model = chat(server)
        for _ in range(3):
            assert model.complete(HELLO).text == "Hi!"
    assert len(server.requests) == 5
    assert server.requests[-1].body["max_completion_tokens"] == 500
    assert "temperature" not in server.requests[-1].body


def test_a_server_that_takes_no_setting_at_all_is_served(chat: Make) -> None:
    names = ("max_tokens", "max_completion_tokens", "temperature", "response_format", "tools")
    with ScriptedServer(act=refuses(*names, otherwise=says("Hi!"))) as server:
        model = chat(server)
        assert model.complete(HELLO, schema=SCHEMA, tools=[TOOL]).text == "Hi!"
        asked = len(server.requests)
        assert model.complete(HELLO, schema=SCHEMA, tools=[TOOL]).text == "Hi!"
    assert len(server.requests) == asked + 1
    assert set(server.requests[-1].body) == {"model", "messages"}


def test_schemas_give_way_to_plain_json_before_they_are_given_up(chat: Make) -> None:
    def act(received: Any) -> Act:
        kind = received.body.get("response_format", {}).get("type")
        message = f"'response_format' of type '{kind}' is not supported with this model."
        return fails(400, message) if kind == "json_schema" else says("{}")

    with ScriptedServer(act=act) as server:
        chat(server).complete(HELLO, schema=SCHEMA)
    assert server.requests[-1].body["response_format"] == {"type": "json_object"}


@pytest.mark.parametrize(
    ("message", "gone"),
    [
        ("registry/gemma:latest does not support tools", "tools"),
        ('"auto" tool choice requires --enable-auto-tool-choice to be set', "tools"),
        ("Failed to parse grammar", "response_format"),
        (
            '[{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]',
            "temperature",
        ),
    ],
)
def test_servers_name_a_setting_in_words_of_their_own(message: str, gone: str, chat: Make) -> None:
    def act(received: Any) -> Act:
        still = "response_format" if gone == "response_format" else gone
        kind = received.body.get(still)
        return fails(400, message) if kind else says("Hi!")

    with ScriptedServer(act=act) as server:
        assert chat(server).complete(HELLO, schema=SCHEMA, tools=[TOOL]).text == "Hi!"
    assert gone not in server.requests[-1].body


def test_a_prompt_that_is_too_long_is_no_reason_to_adapt(chat: Make) -> None:
    message = "maximum context length is 4096 tokens; reduce the messages or max_tokens"
    with ScriptedServer(fails(400, message)) as server:
        with pytest.raises(PromptTooLongError):
            chat(server).complete(HELLO)
        assert len(server.requests) == 1


def test_a_refusal_that_names_no_setting_is_passed_on(chat: Make) -> None:
    with ScriptedServer(fails(400, "messages must alternate between user and assistant")) as server:
        with pytest.raises(ModelRequestError, match="must alternate"):
            chat(server).complete(HELLO, schema=SCHEMA, tools=[TOOL])
        assert len(server.requests) == 1


# -- addresses and keys --------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/", "/v1/chat/completions", "//"])
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/chat/completions"])
def test_every_form_of_an_address_works_or_fails_with_it(
    ending: str, path: str, chat: Make
) -> None:
    with ScriptedServer(says("Hi!"), path=path) as server:
        model = chat(server, base_url=server.root + ending)
        if path == "/chat/completions" and "v1" in ending:
            with pytest.raises(ModelRequestError, match=f"{server.root}/v1/chat/completions"):
                model.complete(HELLO)
            return
        assert model.complete(HELLO).text == model.complete(HELLO).text == "Hi!"
        assert model.address == server.root + path
        assert len(server.missed) == int(path.startswith("/v1") and "v1" not in ending)
        assert not any("/v1/v1" in missed for missed in server.missed)


def test_an_address_without_a_scheme_is_taken_for_a_local_one(chat: Make) -> None:
    with ScriptedServer(says("Hi!")) as server:
        model = chat(server, base_url=server.root.removeprefix("http://"))
        assert model.complete(HELLO).text == "Hi!"


def test_a_server_that_answers_200_for_any_path_is_found_too(chat: Make) -> None:
    def act(received: Any) -> Act:
        return says("Hi!")

    class Lenient(ScriptedServer):
        def next_act(self, received: Any) -> Act:
            act = super().next_act(received)
            return answers({"error": "Unexpected endpoint"}) if act.status == 404 else act

    with Lenient(act=act) as server:
        assert chat(server, base_url=server.root).complete(HELLO).text == "Hi!"


def test_the_query_of_an_address_goes_with_every_request(chat: Make) -> None:
    with ScriptedServer(says("Hi!")) as server:
        chat(server, base_url=f"{server.base_url}?api-version=2026-01").complete(HELLO)
    assert server.requests[0].path == "/v1/chat/completions?api-version=2026-01"


@pytest.mark.parametrize("base_url", ["ftp://example.org", "http://", "http://host:port", "://x"])
def test_what_is_no_address_is_refused_at_once(base_url: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        OpenAIChat("tiny", base_url=base_url)


def test_a_local_server_needs_no_key_and_gets_none_of_the_environments(
    chat: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    with ScriptedServer(says("Hi!")) as server:
        assert chat(server).complete(HELLO).text == "Hi!"
    assert "somebody" not in server.requests[0].headers["authorization"]


def test_a_key_is_sent_without_the_line_break_it_was_pasted_with(chat: Make) -> None:
    with ScriptedServer(says("Hi!")) as server:
        chat(server, api_key="sk-1\n").complete(HELLO)
    assert server.requests[0].headers["authorization"] == "Bearer sk-1"


def test_a_public_server_without_a_key_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelRequestError, match="needs an API key"):
        OpenAIChat("tiny").complete(HELLO)


def test_a_key_with_odd_characters_is_refused_without_showing_it() -> None:
    with pytest.raises(ValueError, match="api_key") as raised:
        OpenAIChat("tiny", base_url="http://localhost", api_key="sk-ключ")
    assert "ключ" not in str(raised.value)


def test_nothing_heavy_is_loaded_before_the_first_request() -> None:
    code = (
        "import sys; from scenemem.engines.openai.chat import OpenAIChat; "
        "OpenAIChat('tiny', base_url='http://localhost'); "
        "print([m for m in ('openai', 'tenacity', 'asyncio') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- streams -------------------------------------------------------------------------------------


def collect(stream: Iterator[str | Completion]) -> tuple[list[str], Completion]:
    *pieces, last = stream
    assert isinstance(last, Completion)
    return [piece for piece in pieces if isinstance(piece, str)], last


def test_a_stream_delivers_pieces_and_ends_in_the_whole(chat: Make) -> None:
    with ScriptedServer(streams("Os", "lo", usage=(9, 2))) as server:
        pieces, completion = collect(chat(server).stream(HELLO))
    assert pieces == ["Os", "lo"]
    assert (completion.text, completion.finish_reason) == ("Oslo", "stop")
    assert completion.usage is not None
    assert completion.usage.completion == 2


def test_a_stream_that_breaks_keeps_what_came_and_says_so(chat: Make) -> None:
    with ScriptedServer(streams("Os", "lo", cut=True)) as server:
        pieces, completion = collect(chat(server).stream(HELLO))
        assert len(server.requests) == 1
    assert "".join(pieces) == completion.text == "Oslo"
    assert completion.finish_reason == "broken"
    assert completion.error is not None
    assert "127.0.0.1" in completion.error


def test_a_stream_that_stops_without_an_end_counts_as_broken(chat: Make) -> None:
    with ScriptedServer(streams("Os", finish_reason=None)) as server:
        _, completion = collect(chat(server).stream(HELLO))
    assert completion.finish_reason == "broken"


def test_an_error_within_a_stream_breaks_it(chat: Make) -> None:
    first = streams("Os", cut=True).parts[0]
    error = b'data: {"error": {"message": "ran out of memory"}}\n\n'
    with ScriptedServer(Act((first, error), content_type="text/event-stream")) as server:
        pieces, completion = collect(chat(server).stream(HELLO))
    assert pieces == ["Os"]
    assert "ran out of memory" in (completion.error or "")


def test_a_stream_that_breaks_before_its_first_piece_is_tried_again(chat: Make) -> None:
    with ScriptedServer(streams(cut=True), fails(503), streams("Hi!")) as server:
        pieces, _ = collect(chat(server).stream(HELLO))
        assert len(server.requests) == 3
    assert pieces == ["Hi!"]


def test_a_server_that_does_not_stream_answers_in_one_piece(chat: Make) -> None:
    with ScriptedServer(says("Hi!")) as server:
        pieces, completion = collect(chat(server).stream(HELLO))
    assert pieces == ["Hi!"]
    assert completion.finish_reason == "stop"


def test_tool_calls_are_put_together_from_their_pieces(chat: Make) -> None:
    opening = {"index": 0, "id": "c1", "function": {"name": "search", "arguments": '{"que'}}
    closing = {"index": 0, "function": {"arguments": 'ry": "x"}'}}
    second = {"index": 1, "id": "c2", "function": {"name": "count", "arguments": "{}"}}
    deltas = [{"tool_calls": [call]} for call in (opening, closing, second)]
    with ScriptedServer(streams(*deltas, finish_reason="tool_calls")) as server:
        _, completion = collect(chat(server).stream(HELLO, tools=[TOOL]))
    assert [call["function"] for call in completion.tool_calls] == [
        {"name": "search", "arguments": '{"query": "x"}'},
        {"name": "count", "arguments": "{}"},
    ]
    assert [call["id"] for call in completion.tool_calls] == ["c1", "c2"]


def test_a_surrogate_pair_split_over_two_pieces_comes_out_whole(chat: Make) -> None:
    with ScriptedServer(streams("so \ud83d", "\ude00 nice")) as server:
        pieces, completion = collect(chat(server).stream(HELLO))
    assert "".join(pieces) == completion.text == "so \U0001f600 nice"


def test_a_stream_adapts_to_what_is_refused(chat: Make) -> None:
    with ScriptedServer(act=refuses("stream_options", otherwise=streams("Hi!"))) as server:
        pieces, _ = collect(chat(server).stream(HELLO))
    assert pieces == ["Hi!"]


def test_closing_a_stream_early_ends_the_request(chat: Make) -> None:
    with ScriptedServer(streams("one", "two", "three")) as server:
        stream = chat(server).stream(HELLO)
        assert next(stream) == "one"
        stream.close()
        with pytest.raises(StopIteration):
            next(stream)
