"""Settings from the environment."""

from pathlib import Path

import pytest

from orihon.config import ConfigError, declared, from_environment, read_dotenv


def test_blank_variables_count_as_unset() -> None:
    assert from_environment({"PORT": "  "}).port == 8080


def test_values_are_typed() -> None:
    settings = from_environment(
        {
            "PORT": "9000",
            "PRIVATE_MODE": "yes",
            "ORIHON_PRIVATE_ORIGINS": "http://a:1, http://b:2 ,",
            "ORIHON_DATA": "/x",
        }
    )
    assert settings.port == 9000
    assert settings.private_mode is True
    assert settings.private_origins == ("http://a:1", "http://b:2")
    assert settings.data == Path("/x")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "70000"),
        ("PORT", "x"),
        ("COOKIE_SECURE", "maybe"),
        ("CRAWLER_RATE_MS", "-1"),
        ("SESSION_TTL_DAYS", "0"),
        ("SESSION_TTL_DAYS", "9999999999"),
        ("CRAWLER_RATE_MS", "99999999999999999999"),
        ("CRAWLER_JOB_RETENTION_DAYS", "9999999999"),
        ("ORIHON_DRAIN_SECONDS", "99999999999999999999"),
        ("ORIHON_PUBLIC_URL", "books.example"),
        ("ORIHON_PUBLIC_URL", "ftp://books.example"),
        ("ORIHON_PUBLIC_URL", "https://"),
    ],
)
def test_a_bad_value_names_its_variable(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        from_environment({name: value})


def test_a_bad_secret_is_not_repeated() -> None:
    assert [env.name for _, env, _ in declared() if env.secret] == ["DATABASE_URL", "ADMIN_PASSWORD", "CRAWLER_PROXY"]


def test_dotenv(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("# note\nexport PORT='9001'\nADMIN_USERNAME=a=b\n")
    assert read_dotenv(path) == {"PORT": "9001", "ADMIN_USERNAME": "a=b"}
    path.write_text("nonsense\n")
    with pytest.raises(ConfigError, match="line 1"):
        read_dotenv(path)


def test_dotenv_of_an_editor_on_windows(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xef\xbb\xbfPORT=9001\r\nADMIN_USERNAME=a\r\n")
    assert read_dotenv(tmp_path / ".env") == {"PORT": "9001", "ADMIN_USERNAME": "a"}


def test_dotenv_that_is_no_text_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("PORT=9001\n".encode("utf-16"))
    with pytest.raises(ConfigError, match="UTF-8"):
        read_dotenv(tmp_path / ".env")


@pytest.mark.parametrize("url", ["https://books.example", "http://10.0.0.2:8080/", "https://books.example/comics/"])
def test_a_public_address_is_taken(url: str) -> None:
    assert from_environment({"ORIHON_PUBLIC_URL": url}).public_url == url


def test_dotenv_may_be_absent(tmp_path: Path) -> None:
    assert read_dotenv(tmp_path / ".env") == {}
