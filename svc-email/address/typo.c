/* svc-email/address/typo.c - the edit distance between a domain and providers' domains. */
#include "address/typo.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "dns/domain.h"

enum {
    EDIT = 10,
    NEIGHBOUR = 5,
    DOUBLED = 5,
    SWAPPED = 7,
    FAR = 1000,
    LENGTH_MAX = 40, /* of compared texts; no provider's domain is as long */
    NEAR = 15,
    NEAR_SHORT = 10,
    NEAR_LIVING = 10, /* maximum distance if the domain accepts mail */
    SHORT_LETTERS = 4,
};

/* ---- distance ---- */

/* The neighbors of each key of a QWERTY keyboard. */
static const char *const neighbours[26] = {
    "qwsz",   "vghn",  "xdfv", "serfcx", "wsdr", "drtgvc", "ftyhbv", "gyujnb", "ujko",
    "huikmn", "jiolm", "kop",  "njk",    "bhjm", "iklp",   "ol",     "wa",     "edft",
    "awedxz", "rfgy",  "yhji", "cfgb",   "qase", "zsdc",   "tghu",   "asx",
};

static int substitution_cost(char a, char b)
{
    if (a == b)
        return 0;
    return a >= 'a' && a <= 'z' && b && strchr(neighbours[a - 'a'], b) ? NEIGHBOUR : EDIT;
}

/* Dropping or adding a doubled letter costs half an edit. */
static int insertion_cost(const char *text, size_t at)
{
    return at > 0 && text[at] == text[at - 1] ? DOUBLED : EDIT;
}

int typo_distance(const char *a, const char *b)
{
    size_t rows = strlen(a);
    size_t columns = strlen(b);
    int table[LENGTH_MAX + 1][LENGTH_MAX + 1] = { { 0 } };
    if (rows > LENGTH_MAX || columns > LENGTH_MAX)
        return FAR;
    for (size_t i = 1; i <= rows; i++)
        table[i][0] = table[i - 1][0] + insertion_cost(a, i - 1);
    for (size_t k = 1; k <= columns; k++)
        table[0][k] = table[0][k - 1] + insertion_cost(b, k - 1);
    for (size_t i = 1; i <= rows; i++) {
        for (size_t k = 1; k <= columns; k++) {
            int best = table[i - 1][k - 1] + substitution_cost(a[i - 1], b[k - 1]);
            best = MIN(best, table[i - 1][k] + insertion_cost(a, i - 1));
            best = MIN(best, table[i][k - 1] + insertion_cost(b, k - 1));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                best = MIN(best, table[i - 2][k - 2] + SWAPPED);
            table[i][k] = best;
        }
    }
    return table[rows][columns];
}

/* ---- providers ---- */

static size_t label_size(const char *domain)
{
    return strcspn(domain, ".");
}

static bool is_written_suffix(const struct knowledge *knowledge,
                              const struct public_suffixes *suffixes, const char *suffix)
{
    if (names_have(&knowledge->suffix_slips, text_of(suffix)))
        return false;
    return strchr(suffix, '.') ? public_suffix_is_known(suffixes, suffix)
                               : knowledge_has_top(knowledge, suffix);
}

static bool is_meant_as_it_is(const struct knowledge *knowledge,
                              const struct public_suffixes *suffixes, const char *domain)
{
    const char *dot = strchr(domain, '.');
    if (providers_find(knowledge->providers, domain) ||
        (knowledge->free && domain_list_match(knowledge->free, domain, domain)))
        return true;
    return dot &&
           names_have(&knowledge->providers->labels, (struct text){ domain, label_size(domain) }) &&
           is_written_suffix(knowledge, suffixes, dot + 1);
}

static const char *nearest_provider(const struct knowledge *knowledge, const char *domain,
                                    bool takes_mail)
{
    const char *nearest = NULL;
    int least = takes_mail ? NEAR_LIVING : label_size(domain) <= SHORT_LETTERS ? NEAR_SHORT : NEAR;
    const struct providers *providers = knowledge->providers;
    for (uint32_t i = 0; i < providers->domains.count; i++) {
        const char *candidate = names_at(&providers->domains, i).bytes;
        if (providers->item[providers->domain_provider[i]].is_rare)
            continue;
        size_t letters = label_size(candidate);
        int distance = typo_distance(domain, candidate);
        bool is_short = letters <= SHORT_LETTERS;
        if ((is_short && (takes_mail || distance > NEAR_SHORT)) || distance > least ||
            (nearest && distance == least))
            continue;
        least = distance;
        nearest = candidate;
    }
    return nearest;
}

/* ---- suffixes ---- */

static const char *nearest_suffix(const struct knowledge *knowledge, const char *suffix)
{
    const char *nearest = NULL;
    int least = EDIT + 1;
    for (uint32_t i = 0; i < knowledge->suffixes.count; i++) {
        const char *candidate = names_at(&knowledge->suffixes, i).bytes;
        int distance = typo_distance(suffix, candidate);
        if (distance < least) {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

enum typo typo_find(const struct knowledge *knowledge, const struct public_suffixes *suffixes,
                    const char *domain, bool takes_mail, char meant[static HOST_BYTES])
{
    if (is_meant_as_it_is(knowledge, suffixes, domain))
        return TYPO_NONE;
    const char *provider = nearest_provider(knowledge, domain, takes_mail);
    if (provider) {
        size_t size = label_size(domain);
        bool has_label = size == label_size(provider) && memcmp(domain, provider, size) == 0;
        snprintf(meant, HOST_BYTES, "%s", provider);
        return has_label ? TYPO_SUFFIX : TYPO_DOMAIN;
    }
    const char *dot = strrchr(domain, '.');
    if (takes_mail || !dot || is_written_suffix(knowledge, suffixes, dot + 1))
        return TYPO_NONE;
    const char *suffix = nearest_suffix(knowledge, dot + 1);
    if (!suffix)
        return TYPO_NONE;
    snprintf(meant, HOST_BYTES, "%.*s.%s", (int)(dot - domain), domain, suffix);
    return TYPO_SUFFIX;
}
