"""What a function takes as a tool: its name, its docstring, and each parameter with its type.

A parameter of type `ToolContext` is the app's: it is told apart here, so that no model ever sets
the session. Methods, decorated functions, `functools.partial` and objects with `__call__` are read
as what they call.
"""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

__all__ = ["ToolContext", "ToolSignature", "read_signature"]

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
