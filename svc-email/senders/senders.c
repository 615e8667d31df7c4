/* svc-email/senders/senders.c */
#include "senders/senders.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "dns/domain.h"
#include "text/json.h"
#include "text/yaml.h"

enum { LABEL_MAX_BYTES = 63, FOLDED_MIN_BYTES = 5 /* shorter labels resemble too many others */ };

/* ---- loading ---- */

bool names_read_lower(const cJSON *node, struct arena *arena, struct names *names)
{
    const cJSON *item;
    if (node && !json_is(node, cJSON_Array))
        return false;
    cJSON_ArrayForEach(item, node) {
        struct text name = json_text_of(item);
        if (name.size == 0)
            return false;
        names_add(names, 0, (struct text){ arena_lower(arena, name), name.size });
    }
    return true;
}

static bool read_brand(const char *file, const cJSON *node, struct arena *arena,
                       struct brand *brand, struct err *err)
{
    brand->key = arena_copy(arena, text_of(node->string));
    brand->everywhere = json_is(json_get(node, "everywhere"), cJSON_True);
    if (!names_read_lower(json_get(node, "names"), arena, &brand->names) ||
        !names_read_lower(json_get(node, "labels"), arena, &brand->labels) ||
        !names_read_lower(json_get(node, "domains"), arena, &brand->domains) ||
        brand->domains.count == 0)
        return err_set(err, ERR_INVALID_VALUE,
                       "%s: brand %.40s must have domains, and names and labels as lists of texts",
                       file, node->string);
    return true;
}

static bool read_senders(const char *file, const cJSON *tree, struct senders *senders,
                         struct err *err)
{
    const cJSON *brands = json_get(tree, "brands");
    const cJSON *node;
    if (!json_is(brands, cJSON_Object))
        return err_set(err, ERR_INVALID_VALUE, "%s: brands must be a mapping", file);
    senders->brand = mem_array(json_size(brands) + 1, sizeof(*senders->brand));
    cJSON_ArrayForEach(node, brands)
        if (!read_brand(file, node, &senders->arena, &senders->brand[senders->brand_count++], err))
            return false;
    return true;
}

bool senders_load(const char *folder, const char *suffixes_path, struct senders **result,
                  struct err *err)
{
    scoped(senders_free) struct senders *senders = mem_new(sizeof(*senders));
    scoped(mem_free) char *file = str_format("%s/senders/brands.yaml", folder);
    scoped(json_free) cJSON *tree = NULL;

    if (!yaml_load(file, &tree, err) || !read_senders(file, tree, senders, err) ||
        !providers_load(folder, &senders->providers, err) ||
        !public_suffixes_load(suffixes_path, &senders->suffixes, err))
        return false;
    *result = take(senders);
    return true;
}

void senders_free(void *address_of_pointer)
{
    struct senders **address = address_of_pointer;
    struct senders *senders = *address;
    if (!senders)
        return;
    for (size_t i = 0; i < senders->brand_count; i++) {
        struct brand *brand = &senders->brand[i];
        names_free(&brand->names);
        names_free(&brand->labels);
        names_free(&brand->domains);
    }
    mem_free(&senders->brand);
    arena_free(&senders->arena);
    providers_free(&senders->providers);
    public_suffixes_free(&senders->suffixes);
    mem_free(address);
}

/* ---- owners ---- */

const char *senders_owner(const struct senders *senders, const char *host)
{
    const char *owner = public_suffix_owner(senders->suffixes, host);
    return owner ? owner : host;
}

bool senders_related(const struct senders *senders, const char *a, const char *b)
{
    return a && b && strcmp(senders_owner(senders, a), senders_owner(senders, b)) == 0;
}

bool senders_is_free(const struct senders *senders, const char *host)
{
    while (host && !providers_find(senders->providers, host))
        host = name_parent(host);
    return host != NULL;
}

bool brand_owns(const struct senders *senders, const struct brand *brand, const char *host)
{
    if (names_have_within(&brand->domains, host))
        return true;
    const char *owner = senders_owner(senders, host);
    const char *last = strrchr(owner, '.');
    return brand->everywhere && last && strlen(last) == 3 /* .de */ &&
           names_have(&brand->labels, (struct text){ owner, strcspn(owner, ".") });
}

const struct brand *senders_brand_of(const struct senders *senders, const char *host)
{
    for (size_t i = 0; i < senders->brand_count; i++)
        if (brand_owns(senders, &senders->brand[i], host))
            return &senders->brand[i];
    return NULL;
}

/* ---- imitation ---- */

static bool is_word_byte(char byte)
{
    return ascii_is_alnum(byte) || (byte & 0x80);
}

static bool has_words(const char *text, const char *words)
{
    size_t bytes = strlen(words);
    for (const char *at = text; (at = strcasestr(at, words)); at++)
        if ((at == text || !is_word_byte(at[-1])) && !is_word_byte(at[bytes]))
            return true;
    return false;
}

const struct brand *senders_brand_in_name(const struct senders *senders, const char *name)
{
    for (size_t i = 0; i < senders->brand_count; i++)
        for (uint32_t j = 0; j < senders->brand[i].names.count; j++)
            if (has_words(name, names_at(&senders->brand[i].names, j).bytes))
                return &senders->brand[i];
    return NULL;
}

/* Replace digits and pairs that look like letters: paypa1, rnicrosoft. */
static void fold_label(const char *label, size_t bytes, char folded[static LABEL_MAX_BYTES + 1])
{
    static const char digits[] = "01345";
    static const char letters[] = "oleas";
    size_t size = 0;
    for (size_t i = 0; i < bytes && size < LABEL_MAX_BYTES; i++) {
        const char *digit = strchr(digits, label[i]);
        bool is_pair = i + 1 < bytes && label[i + 1] == label[i] && label[i] == 'v';
        if (i + 1 < bytes && label[i] == 'r' && label[i + 1] == 'n') {
            folded[size++] = 'm';
            i++;
        } else if (is_pair) {
            folded[size++] = 'w';
            i++;
        } else {
            folded[size++] = digit ? letters[digit - digits] : label[i];
        }
    }
    folded[size] = '\0';
}

static bool is_brand_part(const struct brand *brand, const char *part, size_t bytes)
{
    char folded[LABEL_MAX_BYTES + 1];
    if (names_have(&brand->labels, (struct text){ part, bytes }))
        return true;
    if (bytes < FOLDED_MIN_BYTES || bytes > LABEL_MAX_BYTES)
        return false;
    fold_label(part, bytes, folded);
    return names_have(&brand->labels, text_of(folded));
}

/* Whether a label of the host, split at its hyphens, is the brand's: paypal-login is paypal and
 * login. Ignores the top-level domain. */
static bool poses_as(const struct brand *brand, const char *host)
{
    const char *last = strrchr(host, '.');
    for (const char *at = host; last && at < last; at += *at == '.' || *at == '-') {
        size_t label = strcspn(at, ".");
        size_t part = strcspn(at, ".-");
        bool is_begin = at == host || at[-1] == '.';
        if (is_brand_part(brand, at, part) || (is_begin && is_brand_part(brand, at, label)))
            return true;
        at += part;
    }
    return false;
}

const struct brand *senders_brand_in_host(const struct senders *senders, const char *host)
{
    for (size_t i = 0; i < senders->brand_count; i++)
        if (poses_as(&senders->brand[i], host) && !brand_owns(senders, &senders->brand[i], host))
            return &senders->brand[i];
    return NULL;
}
