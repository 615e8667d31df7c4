"""What a type checker must accept, and in lines with `type: ignore`, what it must reject."""

from __future__ import annotations

from tollgate import Tollgate, TollgateError
from tollgate.tools import CronExplainResult, HashGenerateRequest

tollgate = Tollgate("https://tools.example.com", "…", "…")


def accepted() -> list[object]:
    request: HashGenerateRequest = {"input": "a", "key_encoding": "hex"}
    digest: str = tollgate.call("hash-generate", request)["hash"]
    cron: CronExplainResult = tollgate.call("cron-explain", {"expression": "@daily"}, idempotency_key="k")
    image: bytes = tollgate.call("placeholder-image", {})
    code = tollgate.call("qr-generate", {"text": "a"})
    svg: str = "" if isinstance(code, bytes) else code["svg"]
    credits: int = tollgate.credits()["credits"]
    prices: list[int] = [tool["credits"] for tool in tollgate.tools()["tools"]]
    charged: int = tollgate.send("tool-of-tomorrow", {"any": 1}).credits_charged
    return [digest, cron["description"], image, svg, credits, prices, charged]


def codes(error: TollgateError) -> list[str]:
    return error.codes


def rejected() -> None:
    tollgate.call("hash-generat", {"input": "a"})  # type: ignore[call-overload]
    tollgate.call("hash-generate", {})  # type: ignore[call-overload]
    tollgate.call("hash-generate", {"input": "a", "algoritm": "MD5"})  # type: ignore[call-overload]
    tollgate.call("hash-generate", {"input": "a", "key_encoding": "base32"})  # type: ignore[call-overload]
    tollgate.call("qr-generate", {"text": "a"})["svg"]  # type: ignore[call-overload]
    Tollgate("https://tools.example.com", "…")  # type: ignore[call-arg]
