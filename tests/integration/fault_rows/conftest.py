"""What a robust ingester must survive (research/ingest-anchors, 3.1 to 3.3), row by row, for catalogues.

A row is shown by the test that is named here: one of this folder (3.1 in test_rows_listing, 3.2 in test_rows_wire, 3.3
in test_rows_names; test_whatever_... in test_rows_any_fault) or, where the fault is not one of the whole line, one
elsewhere:

3.1  1 login instead of a list       test_a_walk_that_is_turned_away_fails_loudly[login_redirect]
     2 an empty list                 test_a_walk_that_is_told_nothing_keeps_what_is_held,
                                     test_a_title_that_comes_without_its_chapters_is_looked_at_again
     3 only free parts               (feeds); test_feed_gone (misses_most_posts_...)
     4 signed out in the middle      test_a_walk_that_is_signed_out_in_the_middle_goes_on_from_there
     5 429 storm                     test_a_pause_that_a_site_asks_for_costs_no_attempt_and_no_place; test_fetch_pacing,
                                     unit/test_fetch_rules (clamped)
     6 pacing                        unit/test_fetch_pacing_rules, test_fetch_pacing; unit/test_fetch_easing (slower
                                     while a site is slow or busy, jitter)
     7 challenge                     test_a_walk_that_is_turned_away_fails_loudly[challenge]; test_fetch_http
     8 cursor lost, repeated         test_a_list_that_leads_back_is_no_end; test_ingest_walks (a_crash_is_recovered_...)
     9 the way on has expired        test_a_place_that_is_gone_is_forgotten
    10 no pagination object          test_a_walk_that_is_told_nothing_keeps_what_is_held[missing_cursor]
    11 an error is no end            test_a_list_that_fails_in_the_middle_is_no_end
    12 stopped too early             test_ingest_walks (limit_reached_is_not_clean, a_crash_is_recovered_...),
                                     test_names_and_times (the whole walk of the month)
    13 redesign                      test_a_redesign_is_a_failure_in_words; unit/test_sources_expectations
    14 a relation is renamed         test_a_redesign_is_a_failure_in_words
    15 a field is missing            unit/test_sources_expectations (title_bare), unit/test_walk_doubts,
                                     test_ingest_doubts
    16 one bad item                  test_one_bad_item_costs_nobody_else_anything,
                                     test_chapters_that_were_unreadable_for_a_moment_are_looked_at_again
    17 fewer pages than announced    test_whatever_every_address_...[vanished_rows], unit/test_sources_walks
    18 collaborators                 (feeds)
    19 a link that deletes           test_fetch_http (nothing_is_sent_that_was_not_meant_to_be)
3.2 20 HTML as an image              test_whatever_every_address_...[html_as_image]; test_fetch_http
    21 a stand-in                    test_a_stand_in_is_never_a_page
    22 truncated                     test_a_cut_image_goes_on_where_it_stopped; test_ingest_line (a_damaged_page_...)
    23 200 to a range                test_a_whole_answer_to_a_range_is_not_appended_in_the_store
    24 zero bytes                    test_whatever_every_address_...[zero_bytes]
    25 done, file missing            test_ingest_download (a_kill_...), test_media_store (a_row_is_never_made_...)
    26 a signed address expired      test_an_expired_address_is_read_anew_and_burns_no_attempt
    27 404                           test_a_page_that_is_gone_is_said_and_waits
    28 archives, external links      test_feed_files (archives; links are of platforms yet to come)
    29 kinds that are skipped        test_feed_files
    30 order, a missing page         test_whatever_every_address_...[changed_order], test_a_page_that_is_gone_...
3.3 31 names too long in bytes       test_names_of_any_length_are_kept
    32 a wrong ending                test_a_wrong_ending_is_no_reason_to_fetch_again
    33 one name for all              every chapter here has its 001.jpg; test_ingest_line (equal_pages_...)
    34 NFC and NFD                  test_names_and_times
    35 time                          test_names_and_times
    36 deleted files return          test_ingest_line (equal_pages_are_stored_once), test_tombstones
    37 gone at the source            test_what_a_site_removes_is_kept; test_ingest_line (a_vanished_chapter_...);
                                     test_feed_gone
    38 mixed case                    test_library_following (names_that_differ_only_in_case_...)
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.line import Line, line
from tests.support.rows import PER_PAGE, TITLES

from orihon.db.pool import Pool
from orihon.fetch.client import Limits

LIMITS = Limits(read=0.3, total=5.0)


@pytest.fixture
async def small(pool: Pool, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Line]:
    """Two works with two chapters of three pages each, one work on each page of the list."""
    drawn = tmp_path_factory.getbasetemp() / "drawn-rows"
    async with line(pool, tmp_path, drawn=drawn, limits=LIMITS, works=2, chapters=2, pages=3, per_page=1) as made:
        await made.manifest()
        made.site.log.clear()
        yield made


@pytest.fixture
async def long(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """Twelve titles on four pages, with nothing to fetch in them, walked page by page."""
    async with line(pool, tmp_path, limits=LIMITS, titles=TITLES, per_page=PER_PAGE) as made:
        made.chunk_seconds = 0
        yield made
