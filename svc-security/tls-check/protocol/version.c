/* svc-security/tls-check/protocol/version.c - protocol versions. */
#include "version.h"

#include "base/scoped.h"

static const struct row {
    const char *name;
    uint16_t number;
} rows[VERSIONS] = {
    [SSLV2] = { "SSLv2", 0x0002 },    [SSLV3] = { "SSLv3", 0x0300 },
    [TLSV10] = { "TLSv1.0", 0x0301 }, [TLSV11] = { "TLSv1.1", 0x0302 },
    [TLSV12] = { "TLSv1.2", 0x0303 }, [TLSV13] = { "TLSv1.3", 0x0304 },
};

const char *version_name(enum version version)
{
    return rows[version].name;
}

uint16_t version_number(enum version version)
{
    return rows[version].number;
}

bool version_of_number(uint16_t number, enum version *version)
{
    for (unsigned i = 0; i < VERSIONS; i++) {
        if (rows[i].number == number) {
            *version = (enum version)i;
            return true;
        }
    }
    return false;
}
