"""What can be wrong with an account, a password or a sign-in. Each text is for the person in front of the screen."""


class AccountError(Exception):
    """Base of this package's errors."""


class BadPassword(AccountError):
    """A password that the rules refuse."""


class BadUsername(AccountError):
    """A user name that the rules refuse."""


class UsernameTaken(AccountError):
    """Somebody has this user name."""


class WrongCredentials(AccountError):
    """User name and password do not belong together; which of them is wrong is not told."""
