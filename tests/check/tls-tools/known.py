"""tests/check/tls-tools/known.py - how testssl.sh 3.0.8 and sslscan 2.0.7 differ from tls-check.

Kinds of a difference:
- not tested: the program does not look for this fact, or not on such a server;
- meaning: both are right, and their words mean different things;
- fault: the program is wrong, as the server's settings show.
"""

import dataclasses
import re

ANY = object()
NOT_REPORTED = "not reported"


@dataclasses.dataclass(frozen=True)
class Known:
    program: str
    kind: str
    fact: str              # a pattern for all of it
    servers: tuple         # titles; () for any
    ours: object
    theirs: object
    reason: str

    def applies(self, program, server, fact, ours, theirs):
        return (self.program == program and (not self.servers or server in self.servers)
                and re.fullmatch(self.fact, fact) is not None
                and (self.ours is ANY or self.ours == ours) and (self.theirs is ANY or self.theirs == theirs))


TWO = ("nginx, RSA and ECDSA",)
UNSAFE = ("GnuTLS without secure renegotiation",)
KNOWN = [
    # ---- sslscan ----
    Known("sslscan", "not tested", "poodle|sweet32|freak|logjam|beast|drown|cipher-rc4", (), ANY, NOT_REPORTED,
          "sslscan lists versions and suites, and leaves their attacks to the reader"),
    Known("sslscan", "not tested", "trusted|name|chain order|certificates sent|must-staple", (), ANY, NOT_REPORTED,
          "sslscan shows the server's certificate, without its chain and without trust"),
    Known("sslscan", "not tested", "order|alpn|heartbeat|hsts.*", (), ANY, NOT_REPORTED,
          "sslscan does not test ALPN, HTTP and the order of suites, and heartbeats only for Heartbleed"),
    Known("sslscan", "not tested", "compression", (), ANY, NOT_REPORTED,
          "Debian's OpenSSL, which sslscan uses, has no compression"),
    Known("sslscan", "meaning", "secure renegotiation", (), True, False,
          "sslscan says secure only if the server renegotiates on request, which good servers do not"),
    Known("sslscan", "meaning", "secure renegotiation", (), None, False,
          "TLS 1.3 has no renegotiation; sslscan calls that not secure"),
    Known("sslscan", "meaning", "fallback", (), None, ANY,
          "a server with one version has nothing to fall back from; sslscan reports a rejected handshake"),
    Known("sslscan", "fault", "keys", ("nginx, RSA and ECDSA", "OpenSSL, P-384"), ANY, ANY,
          "sslscan prints the strength of an EC key as its size: 128 for P-256, 192 for P-384"),
    Known("sslscan", "not tested", "fingerprints|not after|signatures", TWO, ANY, ANY,
          "sslscan sees the certificate of one handshake"),
    Known("sslscan", "fault", "group .*", ("GnuTLS, RC4, 3DES, NULL and anonymous", "OpenSSL, suites without encryption"),
          True, False, "sslscan looks for groups in a handshake that need not use one of the suites over curves"),
    Known("sslscan", "not tested", "TLSv1.2 .*|group .*|dh bits", UNSAFE, ANY, ANY,
          "sslscan's OpenSSL rejects a server without RFC 5746, before suites are known"),
    Known("sslscan", "not tested", "keys|signatures|fingerprints|not after|expired|self-signed", UNSAFE, ANY,
          NOT_REPORTED, "sslscan's OpenSSL rejects a server without RFC 5746, before the certificate is known"),
    Known("sslscan", "not tested", "keys|signatures|fingerprints|not after|expired|self-signed",
          ("OpenSSL, suites without encryption",), ANY, NOT_REPORTED,
          "sslscan looks at the certificate in a handshake with an anonymous suite, which has none"),
    # ---- testssl.sh ----
    Known("testssl", "meaning", "fallback", (), True, "no protocol below TLS 1.2 offered",
          "testssl.sh does not test the fall from TLS 1.3 to TLS 1.2, as no client retries that way"),
    Known("testssl", "meaning", "fallback", (), None, ANY,
          "a server with one version has nothing to fall back from; testssl.sh says that in words"),
    Known("testssl", "not tested", "secure renegotiation",
          ("OpenSSL, TLS 1.0", "written by hand: compression, no fallback", *UNSAFE), ANY,
          "OpenSSL handshake didn't succeed",
          "testssl.sh uses Debian's OpenSSL here, which accepts neither TLS 1.0 nor servers without RFC 5746,"
          " and needs a whole handshake"),
    Known("testssl", "not tested", "logjam", ("OpenSSL, TLS 1.0",), True, False,
          "the prime of 1024 bits is that of an anonymous suite; testssl.sh looks at the others"),
]
