/* svc-security/tls-check/tests/world.h - the facts of a good server, and changes to them. */
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "rows.h"
#include "text/time/datetime.h"
#include "tls-check/scan/facts.h"

/* State that a row can change. */
struct world {
    struct facts facts;
    struct certificate leaf;
    struct certificate above;
};

struct poke {
    size_t offset;
    size_t size;
    int64_t value;
};

#define FIELD(path, value)                                                                   \
    {                                                                                        \
        offsetof(struct world, path), sizeof(((struct world *)NULL)->path), (int64_t)(value) \
    }
#define FACT(field, value)  FIELD(facts.field, value)
#define LEAF(field, value)  FIELD(leaf.field, value)
#define ABOVE(field, value) FIELD(above.field, value)
#define DAYS(count)         ((count) * (int64_t)DAY_SECONDS)

enum { X25519 = 29, SECP160R1 = 16, SECP192R1 = 19, X25519MLKEM768 = 4588 };

static const int64_t now_s = 1795000000; /* 2026-11-18 */

static inline enum version version_of_name(const char *name, size_t size)
{
    for (unsigned i = 0; i < VERSIONS; i++)
        if (strncmp(version_name((enum version)i), name, size) == 0)
            return (enum version)i;
    fail_msg("no version: %s", name);
    return SSLV2;
}

/* Accept suites such as "TLSv1.2:C02F TLSv1.3:1301". */
static inline void accept_suites(struct facts *facts, const char *suites)
{
    while (*suites) {
        size_t name_size = strcspn(suites, ":");
        char *end;
        enum version version = version_of_name(suites, name_size);
        unsigned long id = strtoul(suites + name_size + 1, &end, 16);
        const struct suite *suite =
            version == SSLV2 ? suite_find_ssl2((uint32_t)id) : suite_find((uint16_t)id);
        assert_non_null(suite);
        facts->supports[version] = true;
        facts->best = MAX(facts->best, version);
        facts->accepted[facts->accepted_count] =
            (struct accepted){ version, suite, facts->accepted_count };
        facts->accepted_count++;
        suites = end + strspn(end, " ");
    }
}

/* A good server with these suites (NULL: default) and changes. */
static inline void make_world(const char *suites, const struct poke *poke, size_t count,
                              struct world *world)
{
    *world = (struct world){
        .leaf = { .key_type = KEY_RSA,
                  .key_bits = 2048,
                  .rsa_exponent = 65537,
                  .has_alternatives = true,
                  .not_before_s = now_s - DAYS(30),
                  .not_after_s = now_s + DAYS(60) - 1 },
        .above = { .not_before_s = now_s - DAYS(30), .not_after_s = now_s + DAYS(60) },
        .facts = { .has_server_order = TRI_YES,
                   .prefers_secrecy = TRI_YES,
                   .group_count = 1,
                   .group = { X25519MLKEM768 },
                   .has_renegotiation = TRI_YES,
                   .is_http = true,
                   .has_hsts = TRI_YES,
                   .hsts = { .has_age = true, .max_age_s = 31536000 },
                   .certificate_count = 2,
                   .is_in_order = true,
                   .trust = TRUST_YES,
                   .is_for_host = true,
                   .sct_count = 2,
                   .now_s = now_s },
    };
    world->facts.certificate[0] = &world->leaf;
    world->facts.certificate[1] = &world->above;
    accept_suites(&world->facts, suites ? suites : "TLSv1.3:1301 TLSv1.2:C02F");
    for (size_t i = 0; i < count; i++) /* assumes little-endian */
        memcpy((char *)world + poke[i].offset, &poke[i].value, poke[i].size);
}
