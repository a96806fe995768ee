"""A Python function as a tool of the model: its specification from its signature and docstring,
its arguments checked before it is called, whatever it does told as text.

`pydantic` reads the signature and checks the arguments, strictly: a text is no number.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Coroutine, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

from scenemem.errors import SceneMemError
from scenemem.text import clean, shorten

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

__all__ = ["ERROR", "LONGEST_RESULT", "FunctionTool", "ToolContext", "ToolRefusal"]

ERROR = "error: "  # what the result of a call that failed begins with
LONGEST_RESULT = 8000  # characters of a result; a web page would fill the model's window
_QUOTED = 200  # characters of what a model wrote that are quoted back to it
_log = logging.getLogger("scenemem")


class ToolContext(NamedTuple):
    """Where a tool is called: the session and the turn. The app sets it, never the model.

    A tool function that has a parameter of this type is given it; the model does not see it.
    """

    session: str
    turn: int | None = None


class ToolRefusal(Exception):
    """Raised by a tool to say, in a sentence for the model, why it does not do what was asked."""


class FunctionTool:
    """A function that the model may call.

    Its name is the function's, its description the docstring; each parameter's type comes from its
    annotation (text, numbers, `Literal`, lists, models of pydantic, …). Parameters without a
    default are required. Raises `TypeError` for a function that can't be called by name.
    """

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        self.function = function
        self.name = name or function.__name__
        if not self.name.replace("-", "_").isidentifier() or len(self.name) > 64:
            raise TypeError(
                f"{self.name!r} can't be the name of a tool; it is made of letters, digits and _"
            )
        self.parameters = _parameters_of(function)
        self._context = next((p.name for p in self.parameters if p.annotation is ToolContext), None)

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The tool as the chat API wants it described."""
        schema = _plain_schema(self._arguments.model_json_schema())
        description = inspect.cleandoc(self.function.__doc__ or self.name)
        function = {"name": self.name, "description": description, "parameters": schema}
        return {"type": "function", "function": function}

    def call(self, arguments: str, context: ToolContext) -> str:
        """The result as text; one that begins with "error: " says why there is none.

        `arguments` is JSON as the model wrote it, which may be anything.
        """
        from pydantic import ValidationError

        try:
            read = self._arguments.model_validate_json(clean(arguments).strip() or "{}")
        except ValidationError as error:
            return f"{ERROR}{self.name} was not called: {_faults(error, arguments)}. {self.usage}"
        given = {name: getattr(read, f"f{n}") for n, name in enumerate(self._names)}
        if self._context:
            given[self._context] = context
        try:
            return _as_text(_awaited(self.function(**given)))
        except (ToolRefusal, SceneMemError, ValueError) as error:
            return f"{ERROR}{shorten(str(error), _QUOTED * 2)}"
        except Exception as error:
            # A tool may be anybody's code: the model is told, and the conversation goes on.
            _log.warning("the tool %r failed", self.name, exc_info=True)
            told = f"{type(error).__name__}: {error}".rstrip(": ")
            return f"{ERROR}{self.name} failed: {shorten(told, _QUOTED * 2)}"

    @property
    def usage(self) -> str:
        """What the tool takes, in a sentence."""
        schema = self.spec["function"]["parameters"]
        if not schema["properties"]:
            return f"{self.name} takes no arguments."
        required = set(schema.get("required", ()))
        told = [_told(n, s, n in required) for n, s in schema["properties"].items()]
        return f"{self.name} takes a JSON object with {', '.join(told)}."

    @property
    def _names(self) -> list[str]:
        return [p.name for p in self.parameters if p.name != self._context]

    @cached_property
    def _arguments(self) -> type[BaseModel]:
        from pydantic import ConfigDict, Field, create_model

        fields: dict[str, Any] = {}
        for place, p in enumerate(p for p in self.parameters if p.name != self._context):
            default = ... if p.default is p.empty else p.default
            # Under a name of its own, since a parameter may be called what a model's method is.
            fields[f"f{place}"] = (p.annotation, Field(default, alias=p.name))
        config = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=False)
        return create_model(self.name, __config__=config, **fields)


def _parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(function, include_extras=True)
    found = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(
                f"the tool {getattr(function, '__name__', function)!r} has the parameter "
                f"{str(parameter)!r}; a model gives every argument by its name"
            )
        found.append(parameter.replace(annotation=hints.get(parameter.name, Any)))
    return found


def _plain_schema(schema: Any) -> Any:
    """The schema without what costs a prompt tokens and tells a model nothing."""
    if isinstance(schema, Mapping):
        return {
            key: {name: _plain_schema(s) for name, s in value.items()}
            if key in ("properties", "$defs")
            else _plain_schema(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
    return [_plain_schema(value) for value in schema] if isinstance(schema, list) else schema


def _told(name: str, schema: Mapping[str, Any], required: bool) -> str:
    kinds = schema.get("enum") or [
        s["type"] for s in (schema, *schema.get("anyOf", ())) if isinstance(s.get("type"), str)
    ]
    what = " or ".join(repr(k) if schema.get("enum") else k for k in kinds) or "any value"
    return f"{name} ({what})" if required else f"{name} ({what}; optional)"


def _faults(error: ValidationError, arguments: str) -> str:
    """What is wrong with the arguments, each with its value."""
    told = []
    for fault in error.errors(include_url=False):
        where = ".".join(str(part) for part in fault["loc"])
        quoted = shorten(repr(fault["input"]) if where else arguments, _QUOTED)
        what = {"missing": "is missing", "extra_forbidden": "is not one of its arguments"}.get(
            fault["type"], f"is {quoted}: {fault['msg'][:1].lower()}{fault['msg'][1:]}"
        )
        told.append(f"{where or 'the argument object'} {what}")
    return "; ".join(told[:5])


def _awaited(result: Any) -> Any:
    """The result, of a coroutine too, whether or not an event loop runs in this thread."""
    if not isinstance(result, Coroutine):
        return result
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, result).result()


def _as_text(result: Any) -> str:
    if result is None:
        return "done"
    if not isinstance(result, str):
        import json

        result = json.dumps(result, ensure_ascii=False, default=str)
    text = clean(result)
    if len(text) <= LONGEST_RESULT:
        return text
    return f"{text[:LONGEST_RESULT]}\n({len(text) - LONGEST_RESULT:,} characters left out)"
