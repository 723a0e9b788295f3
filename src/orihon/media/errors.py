"""Why bytes are no usable image, in words for people."""


class MediaError(Exception):
    """Bytes that cannot be taken as an image."""


class NotAnImage(MediaError):
    """Something else than an image of an accepted format. `found` names it."""

    def __init__(self, found: str) -> None:
        super().__init__(
            f"this is {found}, where a JPEG, PNG, WebP, GIF or AVIF image was expected. "
            "The site may want a sign-in, refuse programs, or have moved the picture."
            if found != "nothing"
            else "the file is empty. The site may be overloaded, or the picture is gone."
        )
        self.found = found


class Truncated(MediaError):
    """The end of the image is missing."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the image is cut short ({what}). It is fetched again.")


class BadHeader(MediaError):
    """The head of the image makes no sense."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the head of the image is broken ({what}). The file is damaged at the site.")


class BadDimensions(MediaError):
    """An image without width or height."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(f"the image says that it is {width} × {height} pixels, which shows nothing.")


class TooManyPixels(MediaError):
    """More pixels than any page has; unpacking them could exhaust the memory."""

    def __init__(self, width: int, height: int, most: int) -> None:
        super().__init__(
            f"the image has {width} × {height} pixels, more than the {most:,} that are accepted. "
            "It may be made to exhaust the memory; if it is right, raise ORIHON_MAX_IMAGE_PIXELS."
        )


class SweepRefused(Exception):
    """Removing what the database does not know would remove most of the store."""

    def __init__(self, unnamed: int, total: int) -> None:
        super().__init__(
            f"The database knows nothing of {unnamed:,} of the {total:,} files in the store. Is it the database of "
            "this data directory, and not an old or an empty one? These files were left alone. If they really are "
            "not needed: orihon sweep --force."
        )
