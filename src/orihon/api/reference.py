"""The OpenAPI document as a plain page: nothing to run, nothing to fetch from elsewhere, works offline and private."""

from collections.abc import Iterator
from html import escape
from typing import Any

from litestar import Request
from litestar.openapi.plugins import OpenAPIRenderPlugin

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code { font-family: ui-monospace, monospace }
section { border-top: 1px solid #8884; padding: .5rem 0 }
table { border-collapse: collapse; width: 100% }
td { padding: .1rem 1rem .1rem 0; vertical-align: top }
"""

Json = dict[str, Any]


def page(document: Json) -> str:
    """The whole page."""
    title = escape(f"{document['info']['title']} {document['info']['version']}")
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}: API</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style>'
        f"<h1>{title}</h1><p>{escape(document['info']['description'])}</p>"
        '<p>For programs: <a href="/openapi.json">openapi.json</a></p>'
        f"<h2>Routes</h2>{''.join(_routes(document))}<h2>Shapes</h2>{''.join(_shapes(document))}</html>"
    )


def _routes(document: Json) -> Iterator[str]:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            yield f"<section><h3><code>{method.upper()} {escape(path)}</code></h3>"
            summary, description = operation.get("summary") or "", operation.get("description") or ""
            yield f"<p>{escape(summary)}. {_prose(description)}</p><table>"
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "query":
                    yield _line(f"?{parameter['name']}", kind(parameter["schema"]), parameter.get("description"))
            if body := operation.get("requestBody"):
                yield _line("body", _content(body), None)
            for status, answer in operation["responses"].items():
                yield _line(status, _content(answer), answer.get("description"))
            yield "</table></section>"


def _shapes(document: Json) -> Iterator[str]:
    for name, schema in document["components"]["schemas"].items():
        yield f'<section id="{escape(name)}"><h3><code>{escape(name)}</code></h3>'
        yield f"<p>{_prose(schema.get('description') or '')}</p><table>"
        for field, told in schema.get("properties", {}).items():
            yield _line(field, kind(told), told.get("description"))
        if "enum" in schema:
            yield _line("one of", escape(", ".join(map(str, schema["enum"]))), None)
        yield "</table></section>"


def _line(name: str, told: str, description: str | None) -> str:
    return f"<tr><td><code>{escape(name)}</code><td>{told}<td>{_prose(description or '')}"


def _prose(text: str) -> str:
    """Text in which words between backticks are code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))


def _content(holder: Json) -> str:
    return ", ".join(kind(content.get("schema", {})) for content in holder.get("content", {}).values())


def kind(schema: Json) -> str:
    """A schema in a few words, as HTML; shapes are links."""
    if reference := schema.get("$ref"):
        name = escape(reference.rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if choices := schema.get("oneOf") or schema.get("anyOf"):
        return " or ".join(kind(choice) for choice in choices)
    if "enum" in schema:
        return escape(" | ".join(map(str, schema["enum"])))
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items', {}))}"
    told = schema.get("type", "anything")
    return escape(" or ".join(told) if isinstance(told, list) else str(schema.get("format") or told))


class ReferencePage(OpenAPIRenderPlugin):
    """Serves the page."""

    def render(self, request: "Request[Any, Any, Any]", openapi_schema: Json) -> bytes:
        """Litestar's hook."""
        return page(openapi_schema).encode()
