"""Turn a Python function into a tool for the model: its specification comes from its signature and
docstring, its arguments are validated before the call, and its result becomes text.

`pydantic` validates strictly: a string is not a number. Small models write "1" for 1 anyway, so an
app can choose to have such arguments converted, as long as nothing is lost.
"""

from __future__ import annotations

import inspect
import json
import logging
import math
import re
import sys
import types
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    NamedTuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from scenemem.base.errors import SceneMemError
from scenemem.base.text import clean, shorten

if TYPE_CHECKING:
    from inspect import Parameter

    from pydantic import BaseModel, ValidationError

__all__ = [
    "ERROR",
    "LONGEST_RESULT",
    "FunctionTool",
    "ToolContext",
    "ToolRefusal",
    "ToolSignature",
    "awaited",
    "read_signature",
]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what the chat API accepts as a function's name
ERROR = "error: "  # prefix of the result of a failed call
LONGEST_RESULT = 8000  # characters in a result; a web page would fill the model's window
_QUOTED = 200  # characters of the model's input that are quoted back to it
_INTEGER = re.compile(r"[+-]?[0-9]{1,300}(?:\.0{1,20})?")
_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,3})?")
_EXACT = 2**53  # up to here, floats represent every integer exactly
_log = logging.getLogger("scenemem")


class ToolContext(NamedTuple):
    """The session and turn in which a tool is called. The app sets it, never the model.

    It is passed to any parameter of this type; the model does not see that parameter.
    """

    session: str
    turn: int | None = None


class ToolSignature(NamedTuple):
    """A function as a tool: the parameters the model sets, and those that get the context."""

    name: str
    description: str
    parameters: tuple[inspect.Parameter, ...]
    contexts: tuple[str, ...]


def read_signature(function: Callable[..., Any], name: str | None = None) -> ToolSignature:
    """The signature with resolved annotations. Raises `TypeError` if it can't be a tool."""
    if not callable(function):
        raise TypeError(f"a tool must be a function, got {function!r}")
    called = _underlying_function(function)
    name = _checked_name(function, name)
    from_model, contexts = [], []
    for parameter in _parameters(function, name):
        parameter = parameter.replace(annotation=_type_of(called, name, parameter))
        if _is_context(parameter.annotation):
            contexts.append(parameter.name)
        elif _mentions_context(parameter.annotation, set()):
            raise TypeError(
                f"the tool {name!r} can't have the parameter {parameter.name!r}: annotate it as "
                "ToolContext or ToolContext | None, not as part of another type"
            )
        else:
            from_model.append(parameter)
    description = inspect.cleandoc(called.__doc__ or function.__doc__ or name)
    return ToolSignature(name, description, tuple(from_model), tuple(contexts))


def _checked_name(function: Callable[..., Any], name: str | None) -> str:
    given = getattr(function, "__name__", None) if name is None else name
    if given is None:
        raise TypeError(f"{function!r} has no __name__; pass one: add(…, 'name')")
    if not isinstance(given, str) or not _NAME.fullmatch(given):
        raise TypeError(
            f"{given!r} can't be the name of a tool; use 1 to 64 letters from a to z, digits, "
            "_ and -, or pass a name: add(…, 'name')"
        )
    return given


def _underlying_function(function: Any) -> Any:
    """The underlying plain function, which has the docstring and the annotations' names."""
    while isinstance(function, partial):
        function = function.func
    if not inspect.isroutine(function) and not inspect.isclass(function):
        function = type(function).__call__
    return inspect.unwrap(function)


def _parameters(function: Callable[..., Any], name: str) -> list[inspect.Parameter]:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError as error:  # some functions written in C
        raise TypeError(f"the tool {name!r} has no readable signature") from error
    # A partial's keyword arguments could be overridden; the app has set them, so they stay.
    fixed = function.keywords if isinstance(function, partial) else {}
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(
                f"the tool {name!r} has the parameter {str(parameter)!r}; "
                "a model passes every argument by name"
            )
    return [parameter for parameter in parameters if parameter.name not in fixed]


def _type_of(called: Any, name: str, parameter: inspect.Parameter) -> Any:
    """The parameter's type, resolving string annotations; `Any` if it has none."""
    if parameter.annotation is parameter.empty:
        return Any
    owner = called.__init__ if inspect.isclass(called) else called
    try:
        return _resolved(parameter.annotation, getattr(owner, "__globals__", {}))
    except Exception as error:
        # An annotation can be any expression and raise anything.
        raise TypeError(
            f"the type of the parameter {parameter.name!r} of the tool {name!r} can't be resolved: "
            f"{error}"
        ) from error


def _resolved(annotation: Any, names: dict[str, Any]) -> Any:
    alone = types.SimpleNamespace(__annotations__={"it": annotation})
    return get_type_hints(alone, names, include_extras=True)["it"]


def _is_context(annotation: Any) -> bool:
    """Whether a parameter of this type gets the context: `ToolContext` or a union with it."""
    if get_origin(annotation) is Annotated:
        return _is_context(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return any(map(_is_context, get_args(annotation)))
    return annotation is ToolContext


def _mentions_context(annotation: Any, seen: set[int]) -> bool:
    """Whether a value of this type could contain a `ToolContext`, however deep."""
    if id(annotation) in seen:
        return False
    seen.add(id(annotation))
    if isinstance(annotation, list | tuple):  # the arguments of a Callable
        return any(_mentions_context(part, seen) for part in annotation)
    if inspect.isclass(annotation) and not get_args(annotation):
        if issubclass(annotation, ToolContext):
            return True
        return any(_mentions_context(part, seen) for part in _field_types(annotation))
    named = [getattr(annotation, name, None) for name in ("__value__", "__supertype__")]
    return any(_mentions_context(part, seen) for part in (*get_args(annotation), *named))


def _field_types(kind: type) -> Iterator[Any]:
    """The types of a class's fields."""
    for owner in kind.__mro__:
        module = sys.modules.get(owner.__module__)
        for annotation in inspect.get_annotations(owner).values():
            try:
                yield _resolved(annotation, vars(module) if module else {})
            except Exception:
                # If it can't be resolved, such as a function's local name, go by its text.
                if ToolContext.__name__ in str(annotation):
                    yield ToolContext


class ToolRefusal(Exception):
    """Raised by a tool to tell the model, in one sentence, why it won't do what was asked."""


class FunctionTool:
    """A function that the model may call.

    Its name is the function's name, and its description is the docstring. Each parameter's type
    comes from its annotation (str, numbers, `Literal`, lists, pydantic models, …). Parameters
    without a default are required. With `reads_numbers`, a number passed as a string ("1"), or an
    integer passed as 1000.0, is converted.

    Raises `TypeError` if the function can't be called by name; `spec` raises it if a parameter's
    type can't be read from JSON.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        name: str | None = None,
        *,
        reads_numbers: bool = False,
    ) -> None:
        self.function = function
        self.signature = read_signature(function, name)
        self.name = self.signature.name
        self._reads_numbers = reads_numbers

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The tool's specification for the chat API. Raises `TypeError`; see the class."""
        schema = _plain_schema(_json_schema(self._arguments))
        function = {
            "name": self.name,
            "description": self.signature.description,
            "parameters": schema,
        }
        return {"type": "function", "function": function}

    def call(self, arguments: str, context: ToolContext) -> str:
        """The result as text; if it begins with "error: ", it says why the call failed.

        `arguments` is the JSON the model wrote, which may be anything.
        """
        from pydantic import ValidationError

        try:
            read = self._validated(clean(arguments).strip() or "{}")
        except ValidationError as error:
            return f"{ERROR}{self.name} was not called: {_faults(error, arguments)}. {self.usage}"
        except Exception as error:
            # The app's types may have validators that raise anything.
            return self._failed(error)
        parameters = self.signature.parameters
        given = {p.name: getattr(read, f"f{n}") for n, p in enumerate(parameters)}
        given.update(dict.fromkeys(self.signature.contexts, context))
        try:
            return _result_text(awaited(self.function(**given)))
        except (ToolRefusal, SceneMemError, ValueError) as error:
            return f"{ERROR}{shorten(str(error), _QUOTED * 2)}"
        except (KeyboardInterrupt, GeneratorExit):
            raise  # the caller wants to stop the conversation
        except BaseException as error:
            # A tool may call sys.exit() or be cancelled: the model gets the error, and the
            # conversation continues.
            return self._failed(error)

    def _failed(self, error: BaseException) -> str:
        _log.warning("the tool %r failed", self.name, exc_info=error)
        reason = f"{type(error).__name__}: {error}".rstrip(": ")
        return f"{ERROR}{self.name} failed: {shorten(reason, _QUOTED * 2)}"

    @property
    def usage(self) -> str:
        """One sentence on the arguments the tool takes."""
        schema = self.spec["function"]["parameters"]
        if not schema["properties"]:
            return f"{self.name} takes no arguments."
        required = set(schema.get("required", ()))
        parameters = [_in_words(n, s, n in required) for n, s in schema["properties"].items()]
        return f"{self.name} takes a JSON object with {', '.join(parameters)}."

    def _validated(self, arguments: str) -> BaseModel:
        from pydantic import ValidationError

        try:
            return self._arguments.model_validate_json(arguments, strict=True)
        except ValidationError as error:
            converted = _with_numbers(arguments, error) if self._reads_numbers else None
            if converted is None:
                raise
        return self._arguments.model_validate_json(converted, strict=True)

    @cached_property
    def _arguments(self) -> type[BaseModel]:
        parameters = self.signature.parameters
        try:
            model = _model_of(self.name, parameters)
            _json_schema(model)
        except Exception as error:
            # A type may define its own schema with code that raises anything.
            bad = next((p.name for p in parameters if not _is_readable(self.name, p)), None)
            where = "its parameters" if bad is None else f"the parameter {bad!r}"
            reason = shorten(str(error), _QUOTED)
            raise TypeError(
                f"{self.name!r} can't be a tool: JSON can't represent {where}: {reason}"
            ) from error
        return model


def _model_of(name: str, parameters: Sequence[Parameter]) -> type[BaseModel]:
    from pydantic import ConfigDict, Field, create_model

    fields: dict[str, Any] = {}
    for place, p in enumerate(parameters):
        default = ... if p.default is p.empty else p.default
        # Renamed, because a parameter may have the same name as a method of the model.
        fields[f"f{place}"] = (p.annotation, Field(default, alias=p.name))
    config = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=False)
    return create_model(name, __config__=config, **fields)


def _json_schema(model: type[BaseModel]) -> dict[str, Any]:
    from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind

    class Quiet(GenerateJsonSchema):
        def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
            """Ignore defaults that JSON can't represent; they still apply."""

    return model.model_json_schema(schema_generator=Quiet)


def _is_readable(name: str, parameter: Parameter) -> bool:
    try:
        _json_schema(_model_of(name, [parameter]))
    except Exception:  # as above
        return False
    return True


def _plain_schema(schema: Any) -> Any:
    """The schema without titles, which cost tokens and tell the model nothing."""
    if isinstance(schema, Mapping):
        return {
            key: {name: _plain_schema(s) for name, s in value.items()}
            if key in ("properties", "$defs")
            else _plain_schema(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
    return [_plain_schema(value) for value in schema] if isinstance(schema, list) else schema


def _in_words(name: str, schema: Mapping[str, Any], required: bool) -> str:
    kinds = schema.get("enum") or [
        s["type"] for s in (schema, *schema.get("anyOf", ())) if isinstance(s.get("type"), str)
    ]
    what = " or ".join(repr(k) if schema.get("enum") else k for k in kinds) or "any value"
    return f"{name} ({what})" if required else f"{name} ({what}; optional)"


def _faults(error: ValidationError, arguments: str) -> str:
    """What is wrong with the arguments, with the offending values."""
    faults = []
    for fault in error.errors(include_url=False):
        where = ".".join(str(part) for part in fault["loc"])
        quoted = shorten(repr(fault["input"]) if where else arguments, _QUOTED)
        what = {"missing": "is missing", "extra_forbidden": "is not one of its arguments"}.get(
            fault["type"], f"is {quoted}: {fault['msg'][:1].lower()}{fault['msg'][1:]}"
        )
        faults.append(f"{where or 'the argument object'} {what}")
    return "; ".join(faults[:5])


def awaited(result: Any) -> Any:
    """The result; a coroutine is run to completion, even if this thread runs an event loop."""
    if not isinstance(result, Coroutine):
        return result
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, result).result()


def _with_numbers(arguments: str, error: ValidationError) -> str | None:
    """The arguments with misspelt numbers converted; None if there are none to convert."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    is_converted = False
    for fault in error.errors(include_url=False):
        number = _as_number(fault["type"], fault["input"])
        is_converted |= number is not None and _replace_at(
            value, fault["loc"], fault["input"], number
        )
    return json.dumps(value) if is_converted else None


def _as_number(fault: str, value: object) -> int | float | bool | None:
    """The number or bool a value of the wrong type stands for; None if anything would be lost."""
    if fault == "int_type" and isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    if fault == "int_type" and isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= _EXACT else None
    if fault == "float_type" and isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return number if math.isfinite(number := float(value)) else None
    if fault == "bool_type" and isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return None


def _replace_at(value: Any, loc: Sequence[int | str], old: object, new: object) -> bool:
    """Replace `old` by `new` at `loc`.

    A location from `pydantic` also names union branches, which are not keys and are skipped.
    """
    holder, key = value, None
    for step in loc:
        if _has(value, step):
            holder, key = value, step
            value = value[step]
    if key is None or value != old:
        return False
    holder[key] = new
    return True


def _has(value: object, step: int | str) -> bool:
    if isinstance(value, dict):
        return step in value
    return isinstance(value, list) and isinstance(step, int) and step < len(value)


def _result_text(result: Any) -> str:
    """Text as it is, anything else as JSON, or as `str()` where JSON has no equivalent."""
    if result is None:
        return "done"
    text = clean(str.__str__(result) if isinstance(result, str) else _to_json(result))
    if len(text) <= LONGEST_RESULT:
        return text
    return f"{text[:LONGEST_RESULT]}\n({len(text) - LONGEST_RESULT:,} characters left out)"


def _to_json(result: Any) -> str:
    from pydantic_core import to_json

    try:
        return to_json(result, fallback=str, inf_nan_mode="strings").decode()
    except ValueError:  # bytes that are not text, or a circular reference
        return str(result)
