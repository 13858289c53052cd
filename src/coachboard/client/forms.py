"""The models' forms: the same fields as structs, which msgspec fills and checks while it decodes.

A form takes no more than its model does; what it does not take the model may yet. Texts of a shape (days, moments)
are texts to it, and looked at afterwards, all of a kind at once.
"""

import threading
import typing
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import chain
from types import NoneType
from typing import Annotated, Any, ClassVar, ForwardRef, Literal

import msgspec
from pydantic.alias_generators import to_snake

from coachboard.client.drift import MAY_HAVE_MORE, SURE
from coachboard.client.resources import RANGED
from coachboard.client.rows import leaves_of
from coachboard.models.base import Wire


class Row(msgspec.Struct, frozen=True, gc=False):
    """A row, or an object in one, under the names of its model's fields with the values of the wire."""

    model: ClassVar[type[Wire]]

    def get(self, wire_name: str) -> Any:
        """The value of a field, as of a decoded row."""
        return getattr(self, _attribute(wire_name))


_attribute = cache(to_snake)


@dataclass(frozen=True, slots=True)
class Form:
    """The structs of a model whose lists are ranged: of the whole, without the large nested lists, of these."""

    whole: type[Row]
    flat: type[Row]
    nested: type[Row] | None
    flat_size: int  # how many fields come before the nested ones


_LOCK = threading.RLock()
_FORMS: dict[type[Wire], Form] = {}
_STRUCTS: dict[type[Wire], Any] = {}
_NESTED = {resource.model: resource.nested for resource in RANGED}


def form_of(model: type[Wire]) -> Form:
    """The form of a model, made once."""
    form = _FORMS.get(model)
    if form is None:
        with _LOCK:
            form = _FORMS[model] = _FORMS.get(model) or _formed(model)
    return form


def _formed(model: type[Wire]) -> Form:
    apart = _NESTED.get(model) or frozenset()
    if not apart:
        struct = _struct_of(model)
        return Form(struct, struct, None, len(struct.__struct_fields__))
    names = list(model.model_fields)
    nested = [name for name, field in model.model_fields.items() if field.alias in apart]
    flat = names[: len(names) - len(nested)]
    assert flat + nested == names, "what is kept apart comes last"
    rest = _defined(model, flat)
    return Form(_defined(model, nested, base=rest), rest, _defined(model, nested), len(flat))


def _struct_of(model: type[Wire]) -> Any:
    """The struct of a model; where it is being made for itself to hold, a name for it."""
    if model not in _STRUCTS:
        _STRUCTS[model] = ForwardRef(model.__name__)
        struct = _STRUCTS[model] = _defined(model, model.model_fields)
        setattr(struct, model.__name__, struct)  # which is where msgspec looks that name up
    return _STRUCTS[model]


def _defined(model: type[Wire], names: Iterable[str], *, base: type[Row] = Row) -> type[Row]:
    fields = {name: model.model_fields[name] for name in names}
    tags = {name: tag for name in fields if (tag := tag_of(model, name)) is not None}
    tagged = dict(zip(("tag_field", "tag"), *tags.items(), strict=True)) if tags else {}
    struct = msgspec.defstruct(
        f"{model.__name__}Row",
        [_field(model, name) for name in fields if name not in tags],
        bases=(base,),
        namespace={"model": model},
        rename={name: field.alias or name for name, field in fields.items()},
        forbid_unknown_fields=model not in MAY_HAVE_MORE,
        **tagged,
    )
    assert issubclass(struct, Row)
    return struct


def tag_of(model: type[Wire], name: str) -> str | None:
    """The constant of a field that tells its model from others; structs hold it by being what they are."""
    annotation = model.model_fields[name].annotation
    return typing.get_args(annotation)[0] if typing.get_origin(annotation) is Literal else None


def _field(model: type[Wire], name: str) -> tuple[str, Any] | tuple[str, Any, Any]:
    field = model.model_fields[name]
    kind = _kind_of(field.annotation)
    if model in SURE and name not in SURE[model]:
        return name, kind, None
    if not field.is_required():
        return name, kind | msgspec.UnsetType, msgspec.UNSET
    return name, kind


_WHOLE = Annotated[
    int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)
]  # beyond it, orjson and so the model read floats
_POSITION = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


def _kind_of(annotation: Any) -> Any:
    """What msgspec is to decode for a field."""
    leaves = leaves_of(annotation)
    models = models_in(annotation)
    kind: Any = typing.Union[*map(_struct_of, models)] if models else _plain_kind(leaves)
    if tuple in leaves:
        kind = list.__class_getitem__(kind)
    return kind | None if NoneType in leaves else kind


def _plain_kind(leaves: set[Any]) -> Any:
    enums = [leaf for leaf in leaves if isinstance(leaf, type) and issubclass(leaf, StrEnum)]
    if enums:
        return Literal[*map(str, enums[0])]
    if {int, float} <= leaves:
        return _WHOLE | float
    if int in leaves:
        return _POSITION
    return bool if bool in leaves else str


def models_in(annotation: Any) -> tuple[type[Wire], ...]:
    """The models that a field holds, be it in a list or one of several."""
    if isinstance(annotation, type) and issubclass(annotation, Wire):
        return (annotation,)
    return tuple(chain.from_iterable(map(models_in, typing.get_args(annotation))))
