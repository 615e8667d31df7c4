"""tests/kit/pki.py - certificate authorities, valid and invalid certificates, and OCSP
responses."""

import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, padding, rsa
from cryptography.x509 import ocsp
from cryptography.x509.oid import AuthorityInformationAccessOID, ExtendedKeyUsageOID, NameOID

# The last byte of 1.2.840.113549.1.1.x: a digest with an RSA signature.
WITH_RSA = bytes.fromhex("06092a864886f70d0101")
SHA256, WEAK = 11, {"SHA1": 5, "MD5": 4}
DAY = datetime.timedelta(days=1)
KEYS = {}


def key_of(kind):
    """One key of each kind for the whole run, because generating keys is slow."""
    if kind not in KEYS:
        name, _, size = kind.partition(":")
        if name == "rsa":
            bits, _, exponent = size.partition("/")
            KEYS[kind] = rsa.generate_private_key(int(exponent or 65537), int(bits))
        elif name == "dsa":
            KEYS[kind] = dsa.generate_private_key(int(size))
        else:
            KEYS[kind] = ec.generate_private_key(getattr(ec, size)())
    return KEYS[kind]


def name_of(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def general(name):
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def sign_weakly(builder, rsa_key, digest):
    """cryptography makes no certificate with these digests since version 42: sign one again."""
    strong = builder.sign(rsa_key, hashes.SHA256())
    names = WITH_RSA + bytes([SHA256]), WITH_RSA + bytes([WEAK[digest]])
    content = strong.tbs_certificate_bytes.replace(*names)
    signature = rsa_key.sign(content, padding.PKCS1v15(), getattr(hashes, digest)())
    whole = strong.public_bytes(serialization.Encoding.DER).replace(*names)
    return x509.load_der_x509_certificate(whole[:-len(signature)] + signature)


class Certificate:
    """A certificate with its key and the certificates above it, without the root."""

    def __init__(self, certificate, key, above=()):
        self.certificate, self.key, self.above = certificate, key, tuple(above)

    def der(self):
        return self.certificate.public_bytes(serialization.Encoding.DER)

    def pem(self):
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def key_pem(self):
        return self.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL,
                                      serialization.NoEncryption())

    def sent(self):
        """The chain that a correct server sends."""
        return [self, *self.above]

    def issue(self, name, names=None, key="rsa:2048", digest="SHA256", days=90, begins=-1, ca=False, eku=(),
              must_staple=False, ocsp_url=None, issuers_url=None, self_signed=False):
        """A certificate below this one. Names are None for just the name, () for no alternative
        names; `begins` is in days from now."""
        private = key_of(key)
        issuer_name, issuer_key = ((name_of(name), private) if self_signed else
                                   (self.certificate.subject, self.key))
        start = datetime.datetime.utcnow().replace(microsecond=0) + begins * DAY
        builder = (x509.CertificateBuilder().subject_name(name_of(name)).issuer_name(issuer_name)
                   .public_key(private.public_key()).serial_number(x509.random_serial_number())
                   .not_valid_before(start).not_valid_after(start + days * DAY - datetime.timedelta(seconds=1))
                   .add_extension(x509.BasicConstraints(ca, None), True)
                   .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), False))
        if ca:
            builder = as_authority(builder, private)
        names = [name] if names is None else names
        if names and not (ca and names == [name]):
            builder = builder.add_extension(x509.SubjectAlternativeName([general(n) for n in names]), False)
        if eku:
            builder = builder.add_extension(x509.ExtendedKeyUsage(eku), False)
        if must_staple:
            builder = builder.add_extension(x509.TLSFeature([x509.TLSFeatureType.status_request]), False)
        places = [(AuthorityInformationAccessOID.OCSP, ocsp_url),
                  (AuthorityInformationAccessOID.CA_ISSUERS, issuers_url)]
        if ocsp_url or issuers_url:
            builder = builder.add_extension(x509.AuthorityInformationAccess(
                [x509.AccessDescription(kind, x509.UniformResourceIdentifier(url))
                 for kind, url in places if url]), False)
        above = () if self_signed else () if self.is_root() else self.sent()
        if digest in WEAK:
            signed = sign_weakly(builder, issuer_key, digest)
        else:
            signed = builder.sign(issuer_key, getattr(hashes, digest)())
        return Certificate(signed, private, above)

    def is_root(self):
        return self.certificate.subject == self.certificate.issuer

    def answer_ocsp(self, leaf, revoked=False, this_update=-1, next_update=6):
        """This issuer's OCSP response about one of its certificates, in DER; times in days from
        now."""
        now = datetime.datetime.utcnow().replace(microsecond=0)
        status = ocsp.OCSPCertStatus.REVOKED if revoked else ocsp.OCSPCertStatus.GOOD
        builder = ocsp.OCSPResponseBuilder().add_response(
            leaf.certificate, self.certificate, hashes.SHA1(), status, now + this_update * DAY,
            now + next_update * DAY, now - DAY if revoked else None, None)
        builder = builder.responder_id(ocsp.OCSPResponderEncoding.NAME, self.certificate)
        return builder.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


def as_authority(builder, key):
    """What RFC 5280 requires of an authority, and Python 3.13 checks."""
    usage = x509.KeyUsage(digital_signature=True, content_commitment=False, key_encipherment=False,
                          data_encipherment=False, key_agreement=False, key_cert_sign=True, crl_sign=True,
                          encipher_only=False, decipher_only=False)
    return (builder.add_extension(usage, True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False))


def root(name="Tests Root"):
    key = key_of("ec:SECP256R1")
    start = datetime.datetime.utcnow().replace(microsecond=0) - 30 * DAY
    builder = (x509.CertificateBuilder().subject_name(name_of(name)).issuer_name(name_of(name))
               .public_key(key.public_key()).serial_number(x509.random_serial_number())
               .not_valid_before(start).not_valid_after(start + 3650 * DAY)
               .add_extension(x509.BasicConstraints(True, None), True))
    return Certificate(as_authority(builder, key).sign(key, hashes.SHA256()), key)


SERVER_AUTH, CLIENT_AUTH = ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH
