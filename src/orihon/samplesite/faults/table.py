"""The table of faults: every symptom by its name."""

from collections.abc import Mapping

from orihon.samplesite.faults import content, wire
from orihon.samplesite.faults.answer import Fault

FAULTS: Mapping[str, Fault] = {
    "too_many_requests": Fault(wire.too_many_requests, "429, Retry-After in `seconds` (2)"),
    "too_many_requests_dated": Fault(wire.too_many_requests_dated, "429, Retry-After as a date, `seconds` (2) away"),
    "server_error": Fault(wire.status(500, "Internal Server Error"), "500"),
    "not_found": Fault(wire.status(404, "Not Found"), "404"),
    "forbidden": Fault(wire.status(403, "Forbidden"), "403"),
    "time_out": Fault(wire.time_out, "no answer; the connection is held for `seconds` (3600)"),
    "hang_up": Fault(wire.hang_up, "no answer; the connection is closed"),
    "slow_body": Fault(wire.slow_body, "the body takes `seconds` (5)"),
    "cut_body": Fault(wire.cut_body, "the connection breaks after half of the announced bytes"),
    "zero_bytes": Fault(wire.zero_bytes, "200 with an empty body"),
    "wrong_type": Fault(wire.wrong_type, "the right bytes under a wrong Content-Type"),
    "range_ignored": Fault(wire.range_ignored, "200 with the whole file in answer to a Range"),
    "html_as_image": Fault(wire.html_as_image, "a page, sent as an image"),
    "placeholder": Fault(wire.placeholder, "a stand-in picture in place of a file"),
    "placeholder_redirect": Fault(wire.placeholder_redirect, "a redirect to the stand-in picture"),
    "login_redirect": Fault(wire.login_redirect, "a redirect to the sign-in page"),
    "challenge": Fault(wire.challenge, "403 with a check for humans"),
    "private_redirect": Fault(wire.private_redirect, "a redirect into a private network"),
    "empty_page": Fault(content.empty_page, "a list that says that there is nothing"),
    "rows_missing": Fault(content.rows_missing, "a list without its rows, and nothing that says why"),
    "vanished_rows": Fault(content.vanished_rows, "every second row is missing"),
    "changed_order": Fault(content.changed_order, "the rows stand in another order"),
    "missing_cursor": Fault(content.missing_cursor, "no pagination object, no `next`"),
    "repeated_cursor": Fault(content.repeated_cursor, "the next page is the one that was asked for"),
    "poisoned_item": Fault(content.poisoned_item, "one row is broken"),
    "renamed_field": Fault(content.renamed_field, "`field` has another name"),
    "expired_address": Fault(
        content.expired_address, "addresses of files are signed and valid for `seconds` (-60: expired), then 403"
    ),
}
