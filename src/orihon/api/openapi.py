"""Prints the OpenAPI document, from which the web app's types are made: `python -m orihon.api.openapi`."""

import sys

import msgspec

from orihon.api import framework


def document() -> str:
    """The document as JSON, in an order that changes only when the API does."""
    schema = framework.make(None).openapi_schema.to_schema()
    return msgspec.json.format(msgspec.json.encode(schema, order="sorted"), indent=2).decode() + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
