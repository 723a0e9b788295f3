"""What a source would bring in, for a person to read."""

from collections.abc import Sequence

from orihon.cli.output import line
from orihon.sources.preview import Preview


def show(seen: Preview) -> None:
    """Write what was seen, and what went wrong."""
    if seen.listing:
        line(
            f"List: {seen.listing.count} titles on the first page, {'more follow' if seen.listing.next else 'the end'}"
        )
        for ref in seen.listing.refs:
            line(f"  {ref.title}  {ref.url}")
    if seen.title:
        title = seen.title
        line(f"Title: {title.title}")
        for label, values in (("authors", title.authors), ("genres", title.genres), ("tags", title.tags)):
            line(f"  {label}: {_listed(values)}")
        line(f"  status: {title.status or '–'}; cover: {title.cover_url or '–'}")
    if seen.chapters:
        line(f"Chapters: {seen.chapters.count}, {seen.chapters.unnumbered} without a number")
        for chapter in seen.chapters.refs:
            line(f"  {chapter.number if chapter.number is not None else '–'}  {chapter.title or ''}  {chapter.url}")
    if seen.pages:
        line(f"Pages of one chapter: {seen.pages.count}")
        for page in seen.pages.refs:
            line(f"  {page.number}  {page.url}")
    if posts := seen.posts:
        goes_on = "more follow" if posts.next else "the end"
        line(f"Posts: {posts.count} on the first pages with {posts.images} images and {posts.files} files, {goes_on}")
        for post in posts.posts:
            line(f"  {post.published_at:%Y-%m-%d}  {post.title or '–'}  {len(post.media)} media; {_listed(post.tags)}")
    for warning in seen.warnings:
        line(f"Note: {warning}")
    if seen.failure:
        line(f"The {seen.failure.step} could not be read: {seen.failure.text}")


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words) or "–"
