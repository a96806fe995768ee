"""A Python function as a tool of the model: its specification from its signature and docstring,
its arguments checked before it is called, whatever it does told as text.

`pydantic` checks the arguments, strictly: a text is no number. Small models write "1" for 1 all the
same; where an app wants it, such an argument is read as what it says, if nothing of it is lost.
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

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what the chat API takes as a function's name


class ToolContext(NamedTuple):
    """Where a tool is called: the session and the turn. The app sets it, never the model.

    A tool function that has a parameter of this type is given it; the model does not see it.
    """

    session: str
    turn: int | None = None


class ToolSignature(NamedTuple):
    """A function as a tool: the parameters that the model sets, and those that get the context."""

    name: str
    description: str
    parameters: tuple[inspect.Parameter, ...]
    contexts: tuple[str, ...]


def read_signature(function: Callable[..., Any], name: str | None = None) -> ToolSignature:
    """The signature, its annotations resolved. Raises `TypeError` for what can't be a tool."""
    if not callable(function):
        raise TypeError(f"{function!r} can't be a tool: it is no function")
    called = _called(function)
    name = _checked_name(function, name)
    read, contexts = [], []
    for parameter in _parameters(function, name):
        parameter = parameter.replace(annotation=_hint(called, name, parameter))
        if _is_context(parameter.annotation):
            contexts.append(parameter.name)
        elif _mentions_context(parameter.annotation, set()):
            raise TypeError(
                f"the tool {name!r} can't have the parameter {parameter.name!r}: a ToolContext is "
                "a parameter's own type, or that or None, and no part of another type"
            )
        else:
            read.append(parameter)
    description = inspect.cleandoc(called.__doc__ or function.__doc__ or name)
    return ToolSignature(name, description, tuple(read), tuple(contexts))


def _checked_name(function: Callable[..., Any], name: str | None) -> str:
    told = getattr(function, "__name__", None) if name is None else name
    if told is None:
        raise TypeError(f"{function!r} has no name of its own; give the tool one: add(…, 'name')")
    if not isinstance(told, str) or not _NAME.fullmatch(told):
        raise TypeError(
            f"{told!r} can't be the name of a tool; it is 1 to 64 letters from a to z, digits, "
            "_ and -; give it one: add(…, 'name')"
        )
    return told


def _called(function: Any) -> Any:
    """The plain function that is called in the end: whose docstring and names are meant."""
    while isinstance(function, partial):
        function = function.func
    if not inspect.isroutine(function) and not inspect.isclass(function):
        function = type(function).__call__
    return inspect.unwrap(function)


def _parameters(function: Callable[..., Any], name: str) -> list[inspect.Parameter]:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError as error:  # some functions that are written in C
        raise TypeError(f"the tool {name!r} has no signature that can be read") from error
    # What a partial has set by name could still be set anew; the app has set it, so it stays.
    fixed = function.keywords if isinstance(function, partial) else {}
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(
                f"the tool {name!r} has the parameter {str(parameter)!r}; "
                "a model gives every argument by its name"
            )
    return [parameter for parameter in parameters if parameter.name not in fixed]


def _hint(called: Any, name: str, parameter: inspect.Parameter) -> Any:
    """The parameter's type, where annotations are texts too; `Any` where it has none."""
    if parameter.annotation is parameter.empty:
        return Any
    owner = called.__init__ if inspect.isclass(called) else called
    try:
        return _resolved(parameter.annotation, getattr(owner, "__globals__", {}))
    except Exception as error:
        # An annotation is any expression, and may raise anything.
        raise TypeError(
            f"the type of the parameter {parameter.name!r} of the tool {name!r} can't be read: "
            f"{error}"
        ) from error


def _resolved(annotation: Any, names: dict[str, Any]) -> Any:
    alone = types.SimpleNamespace(__annotations__={"it": annotation})
    return get_type_hints(alone, names, include_extras=True)["it"]


def _is_context(annotation: Any) -> bool:
    """Whether a parameter of this type is the app's: `ToolContext`, or that or something else."""
    if get_origin(annotation) is Annotated:
        return _is_context(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return any(map(_is_context, get_args(annotation)))
    return annotation is ToolContext


def _mentions_context(annotation: Any, seen: set[int]) -> bool:
    """Whether a value of this type could hold a `ToolContext`, however deep."""
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
    """The types of the fields of a class."""
    for owner in kind.__mro__:
        module = sys.modules.get(owner.__module__)
        for annotation in inspect.get_annotations(owner).values():
            try:
                yield _resolved(annotation, vars(module) if module else {})
            except Exception:
                # What can't be read, such as a name of a function's own, is judged by its words.
                if ToolContext.__name__ in str(annotation):
                    yield ToolContext


ERROR = "error: "  # what the result of a call that failed begins with
LONGEST_RESULT = 8000  # characters of a result; a web page would fill the model's window
_QUOTED = 200  # characters of what a model wrote that are quoted back to it
_INTEGER = re.compile(r"[+-]?[0-9]{1,300}(?:\.0{1,20})?")
_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,3})?")
_EXACT = 2**53  # up to here every whole number is a float of its own
_log = logging.getLogger("scenemem")


class ToolRefusal(Exception):
    """Raised by a tool to say, in a sentence for the model, why it does not do what was asked."""


class FunctionTool:
    """A function that the model may call.

    Its name is the function's, its description the docstring; each parameter's type comes from its
    annotation (text, numbers, `Literal`, lists, models of pydantic, …). Parameters without a
    default are required. With `reads_numbers`, a number that came as a text ("1"), or a whole
    number as 1000.0, is taken for the number that it is.

    Raises `TypeError` for a function that can't be called by name; so does `spec`, for one with a
    parameter of a type that no JSON can be read as.
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
        """The tool as the chat API wants it described. Raises `TypeError`; see the class."""
        schema = _plain_schema(_json_schema(self._arguments))
        function = {
            "name": self.name,
            "description": self.signature.description,
            "parameters": schema,
        }
        return {"type": "function", "function": function}

    def call(self, arguments: str, context: ToolContext) -> str:
        """The result as text; one that begins with "error: " says why there is none.

        `arguments` is JSON as the model wrote it, which may be anything.
        """
        from pydantic import ValidationError

        try:
            read = self._read(clean(arguments).strip() or "{}")
        except ValidationError as error:
            return f"{ERROR}{self.name} was not called: {_faults(error, arguments)}. {self.usage}"
        except Exception as error:
            # The types are the app's, and their validators may raise anything.
            return self._failed(error)
        parameters = self.signature.parameters
        given = {p.name: getattr(read, f"f{n}") for n, p in enumerate(parameters)}
        given.update(dict.fromkeys(self.signature.contexts, context))
        try:
            return _as_text(awaited(self.function(**given)))
        except (ToolRefusal, SceneMemError, ValueError) as error:
            return f"{ERROR}{shorten(str(error), _QUOTED * 2)}"
        except (KeyboardInterrupt, GeneratorExit):
            raise  # whoever runs the conversation ends it
        except BaseException as error:
            # A tool may be anybody's code, which calls sys.exit() or is cancelled: the model is
            # told, and the conversation goes on.
            return self._failed(error)

    def _failed(self, error: BaseException) -> str:
        _log.warning("the tool %r failed", self.name, exc_info=error)
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

    def _read(self, arguments: str) -> BaseModel:
        from pydantic import ValidationError

        try:
            return self._arguments.model_validate_json(arguments, strict=True)
        except ValidationError as error:
            mended = _with_numbers(arguments, error) if self._reads_numbers else None
            if mended is None:
                raise
        return self._arguments.model_validate_json(mended, strict=True)

    @cached_property
    def _arguments(self) -> type[BaseModel]:
        parameters = self.signature.parameters
        try:
            model = _model_of(self.name, parameters)
            _json_schema(model)
        except Exception as error:
            # A type may bring its own schema, and that code may raise anything.
            bad = next((p.name for p in parameters if not _is_readable(self.name, p)), None)
            where = "its parameters" if bad is None else f"the parameter {bad!r}"
            reason = shorten(str(error), _QUOTED)
            raise TypeError(
                f"{self.name!r} can't be a tool: no JSON can be read as {where}: {reason}"
            ) from error
        return model


def _model_of(name: str, parameters: Sequence[Parameter]) -> type[BaseModel]:
    from pydantic import ConfigDict, Field, create_model

    fields: dict[str, Any] = {}
    for place, p in enumerate(parameters):
        default = ... if p.default is p.empty else p.default
        # Under a name of its own, since a parameter may be called what a model's method is.
        fields[f"f{place}"] = (p.annotation, Field(default, alias=p.name))
    config = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=False)
    return create_model(name, __config__=config, **fields)


def _json_schema(model: type[BaseModel]) -> dict[str, Any]:
    from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind

    class Quiet(GenerateJsonSchema):
        def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
            """A default that JSON can't tell is still the default; the model need not know it."""

    return model.model_json_schema(schema_generator=Quiet)


def _is_readable(name: str, parameter: Parameter) -> bool:
    try:
        _json_schema(_model_of(name, [parameter]))
    except Exception:  # as above
        return False
    return True


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


def awaited(result: Any) -> Any:
    """The result, of a coroutine too, whether or not an event loop runs in this thread."""
    if not isinstance(result, Coroutine):
        return result
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, result).result()


def _with_numbers(arguments: str, error: ValidationError) -> str | None:
    """The arguments with the numbers that were written as something else; None without any."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    is_mended = False
    for fault in error.errors(include_url=False):
        number = _number(fault["type"], fault["input"])
        is_mended |= number is not None and _put(value, fault["loc"], fault["input"], number)
    return json.dumps(value) if is_mended else None


def _number(fault: str, told: object) -> int | float | bool | None:
    """What was meant by a value of the wrong type, if all of it is kept; None if not."""
    if fault == "int_type" and isinstance(told, str) and _INTEGER.fullmatch(told.strip()):
        return int(told.strip().partition(".")[0])
    if fault == "int_type" and isinstance(told, float):
        return int(told) if told.is_integer() and abs(told) <= _EXACT else None
    if fault == "float_type" and isinstance(told, str) and _NUMBER.fullmatch(told.strip()):
        return number if math.isfinite(number := float(told)) else None
    if fault == "bool_type" and isinstance(told, str):
        return {"true": True, "false": False}.get(told.strip().lower())
    return None


def _put(value: Any, loc: Sequence[int | str], old: object, new: object) -> bool:
    """Put `new` where `old` stands.

    A place of `pydantic` also names the branches of a union, which are no keys: passed over.
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


def _as_text(result: Any) -> str:
    """A text as it is, anything else as JSON; what JSON has no form for, as Python shows it."""
    if result is None:
        return "done"
    text = clean(str.__str__(result) if isinstance(result, str) else _as_json(result))
    if len(text) <= LONGEST_RESULT:
        return text
    return f"{text[:LONGEST_RESULT]}\n({len(text) - LONGEST_RESULT:,} characters left out)"


def _as_json(result: Any) -> str:
    from pydantic_core import to_json

    try:
        return to_json(result, fallback=str, inf_nan_mode="strings").decode()
    except ValueError:  # bytes that are no text, an object that holds itself
        return str(result)
