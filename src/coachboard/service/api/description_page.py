"""The routes of an OpenAPI document: as JSON, and as one page of HTML without scripts, fonts and requests to other hosts."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from html import escape
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.service.api.compression import accepted, json_reply
from coachboard.service.api.openapi import REF, Schema, example_of
from coachboard.service.api.request_checks import DESCRIPTION_PAGE, DESCRIPTION_PATH

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
_STYLE = """:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:75rem;margin:0 auto;padding:1rem}
a{color:light-dark(#0b57d0,#8ab4f8)}
code,pre{font:14px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
pre{overflow:auto;padding:.75rem;border:1px solid light-dark(#ddd,#444);max-height:24rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem}
h3{overflow-wrap:anywhere}
th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid light-dark(#ddd,#444)}
summary{cursor:pointer;padding:.25rem 0}
nav a{margin-right:1rem}"""


Links = tuple[tuple[str, str], ...]
THE_INTERFACE: Links = (("API of the interface", DESCRIPTION_PAGE),)


def description_routes(
    path: str, document_json: Callable[[str], bytes], others: Links = THE_INTERFACE
) -> list[Route]:
    """The description of the API below `path`, with the service's address, and its page with links to others."""

    async def describe(request: Request) -> Response:
        body = document_json(request.scope["root_path"] or "/")
        return await json_reply(body, accepted(request.headers.get("accept-encoding", "").encode("latin-1")))

    async def show(request: Request) -> Response:
        root = request.scope["root_path"]
        links = (("OpenAPI document", f"{path}{DESCRIPTION_PATH}"), *others)
        return _page(document_json(root or "/"), tuple((text, f"{root}{link}") for text, link in links))

    return [Route(f"{path}{DESCRIPTION_PATH}", describe), Route(f"{path}{DESCRIPTION_PAGE}", show)]


def _page(document: bytes, others: Links) -> Response:
    """The reply with the page; `others` are further links, each with text and address."""
    headers = {"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff"}
    return Response(_html(document, others), headers=headers, media_type="text/html")


@cache
def _html(document: bytes, others: Links) -> str:
    # The page needs no key: cached, a caller without one cannot make the service build it again and again.
    return "".join(_parts(orjson.loads(document), others))


def _parts(document: dict[str, Any], others: Links) -> Iterator[str]:
    info, schemas = document["info"], document["components"]["schemas"]
    title = escape(info["title"])
    yield (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>"
        f"<p>{_text(info['description'])} Version {escape(info['version'])}, OpenAPI {document['openapi']}. "
        f"Address: <code>{escape(document['servers'][0]['url'])}</code>. "
        "Send an API key with each request: <code>Authorization: Bearer KEY</code>.</p>"
    )
    tags = [tag["name"] for tag in document["tags"]]
    links = [*((tag, f"#{tag}") for tag in tags), ("Objects", "#objects"), *others]
    anchors = (f'<a href="{escape(link)}">{escape(text)}</a>' for text, link in links)
    yield f"<nav>{' '.join(anchors)}</nav>"
    for tag in document["tags"]:
        yield f'<h2 id="{escape(tag["name"])}">{escape(tag["name"])}</h2><p>{_text(tag["description"])}</p>'
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if operation["tags"] == [tag["name"]]:
                    yield _operation(method, path, operation, schemas)
    yield '<h2 id="objects">Objects</h2>'
    for name, schema in schemas.items():
        yield _object(name, schema)
    yield "</body></html>"


def _operation(method: str, path: str, operation: dict[str, Any], schemas: Schema) -> str:
    parts = [
        f"<details><summary><code>{method.upper()} {escape(path)}</code> {_text(operation['summary'])}</summary>"
    ]
    rows = [
        (_code(parameter["name"]), _type(parameter["schema"]), parameter["description"], parameter["example"])
        for parameter in operation.get("parameters", [])
    ]
    if rows:
        parts.append(_table(("Parameter", "Type", "Description", "Example"), rows))
    if "requestBody" in operation:
        parts.append(f"<h4>Request</h4>{_body(operation['requestBody']['content'], schemas)}")
    for status, reply in operation["responses"].items():
        if status.startswith("2"):
            parts.append(f"<h4>Reply {status}</h4>{_body(reply['content'], schemas)}")
    errors = [
        (escape(status), reply["description"])
        for status, reply in operation["responses"].items()
        if not status.startswith("2")
    ]
    parts.append(_table(("Error", "Meaning"), [(status, text) for status, text in errors]))
    return f"{''.join(parts)}</details>"


def _body(content: dict[str, Any], schemas: Schema) -> str:
    kind, part = next(iter(content.items()))
    if kind != "application/json":
        return f"<p>{escape(kind)}</p>"
    return f"<p>{_type(part['schema'])}</p><pre>{_json(example_of(part['schema'], schemas))}</pre>"


def _object(name: str, schema: Schema) -> str:
    head = f'<h3 id="{escape(name)}">{escape(name)}</h3><p>{_text(schema.get("description", ""))}</p>'
    if "properties" not in schema:
        return f"{head}<p>{_type(schema)}</p>"
    required = set(schema.get("required", ()))
    rows = [
        (
            _code(property_name),
            _type(part) + ("" if property_name in required else ", optional"),
            part["description"],
            part["examples"][0],
        )
        for property_name, part in schema["properties"].items()
    ]
    return head + _table(("Property", "Type", "Description", "Example"), rows)


def _table(heads: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """A table; the first two cells of a row of four are HTML already, the last one is an example."""
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in _cells(row))}</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{"".join(f"<th>{head}</th>" for head in heads)}</tr>{body}</table></div>'


def _cells(row: tuple[Any, ...]) -> tuple[str, ...]:
    if len(row) == 2:
        return row[0], _text(row[1])
    name, kind, text, example = row
    is_long = isinstance(example, dict | list) and len(_json(example)) > 200
    example_html = "see its object" if is_long else _code(orjson.dumps(example).decode())
    return name, kind, _text(text), example_html


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].removeprefix(f"{REF}/"))
        return f'<a href="#{name}">{name}</a>'
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " or ".join(map(_type, schema[union]))
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return ", ".join(_code(str(value)) for value in values)
    if schema["type"] == "array":
        parts = _type(schema["items"])
        return f"list of ({parts})" if " or " in parts else f"list of {parts}"
    kind = schema.get("format", schema["type"])
    return escape(str(kind))


def _text(text: str) -> str:
    """Escaped text with code between backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _json(value: Any) -> str:
    return escape(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"
