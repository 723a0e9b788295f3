"""`/manifest.json`: what the site offers, for machines; an exactness check compares a library with it."""

from collections.abc import Mapping, Sequence

import msgspec
from aiohttp import web

from orihon.samplesite import feed, html, paper
from orihon.samplesite.catalogue import Chapter, Media, Packed, Work
from orihon.samplesite.creators import Creator
from orihon.samplesite.pictures import VERSION, Pictures


async def send_manifest(
    request: web.Request, works: Sequence[Work], creators: Sequence[Creator], pictures: Pictures | None
) -> web.StreamResponse:
    """Send works in the order of the listing, chapters and pages in theirs, then creators with their posts.

    With `pictures`, each image comes with `sha256` and `size` (bytes), which draws what was not drawn yet; it is sent
    work by work, since the first time takes a minute.
    """
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    if request.method != "HEAD":
        await response.write(b'{"version":%d,"works":[' % VERSION)
        for place, work in enumerate(works):
            entry = msgspec.json.encode(await describe(work, pictures))
            await response.write((b"," if place else b"") + entry)
        await response.write(b'],"creators":[')
        for place, creator in enumerate(creators):
            entry = msgspec.json.encode(await describe_creator(creator, pictures))
            await response.write((b"," if place else b"") + entry)
        await response.write(b"]}")
    await response.write_eof()
    return response


async def describe(work: Work, pictures: Pictures | None) -> Mapping[str, object]:
    """One work as the manifest says it."""
    return {
        "slug": work.slug,
        "url": html.work_url(work),
        "title": work.title,
        "alt_titles": work.alt_titles,
        "authors": work.authors,
        "artists": work.artists,
        "genres": work.genres,
        "tags": work.tags,
        "status": work.status,
        "direction": work.direction,
        "description": work.description,
        "cover": None if work.cover is None else await _image(html.cover_url(work) or "", work.cover, pictures),
        "chapters": [await _chapter(work, chapter, pictures) for chapter in work.chapters],
    }


async def describe_creator(creator: Creator, pictures: Pictures | None) -> Mapping[str, object]:
    """One creator as the manifest says it: posts newest first, a pinned one only in its own place.

    An attachment that cannot be fetched has `"lost": true` and no hash.
    """
    return {
        "slug": creator.slug,
        "id": creator.id,
        "url": feed.creator_url(creator),
        "name": creator.name,
        "about": creator.about,
        "avatar": None
        if creator.avatar is None
        else await _image(feed.avatar_url(creator) or "", creator.avatar, pictures),
        "posts": [
            {
                "id": post.id,
                "title": post.title,
                "text": post.text,
                "published_at": post.published,
                "edited_at": post.edited,
                "pinned": post.pinned,
                "tags": post.tags,
                "attachments": [
                    {
                        "id": one.id,
                        "name": one.name,
                        "kind": one.kind,
                        "lost": one.content is None,
                        **await _file(feed.attachment_url(creator, post, one), one.content, pictures),
                    }
                    for one in post.attachments
                ],
            }
            for post in creator.posts
        ],
    }


async def _file(url: str, content: Media | None, pictures: Pictures | None) -> Mapping[str, object]:
    return {"url": url} if content is None else await _image(url, content, pictures)


async def _chapter(work: Work, chapter: Chapter, pictures: Pictures | None) -> Mapping[str, object]:
    return {
        "key": chapter.key,
        "url": html.chapter_url(work, chapter),
        "number": None if chapter.number is None else f"{chapter.number.normalize():f}",
        "title": chapter.title,
        "label": chapter.label,
        "uploader": chapter.uploader,
        "pages": [
            {
                "number": number,
                **await _image(html.page_url(work, chapter, number, image), image, pictures),
            }
            for number, image in enumerate(chapter.pages, start=1)
        ],
    }


async def _image(url: str, image: Media, pictures: Pictures | None) -> Mapping[str, object]:
    size = None if isinstance(image, Packed) else paper.size(image)
    known: dict[str, object] = {"url": url, "content_type": paper.content_type(image)}
    if size is not None:
        known["width"], known["height"] = size
    if pictures is not None:
        picture = await pictures.get(image)
        known["sha256"], known["size"] = picture.sha256, len(picture.body)
    return known
