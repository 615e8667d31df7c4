"""Tollgate: pay-per-use tools over HTTPS.

    from tollgate import Tollgate

    tollgate = Tollgate(base_url, account, token)
    tollgate.call("hash-generate", {"input": "hello"})["hash"]
"""

from .client import VERSION as __version__
from .client import Response, TollgateError
from .tools import Tollgate

__all__ = ["Response", "Tollgate", "TollgateError", "__version__"]
