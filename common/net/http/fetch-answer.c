/* common/net/http/fetch-answer.c - the response of a fetch. */
#include "net/http/fetch-answer.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"

static void hop_free(struct fetch_hop *hop)
{
    target_free(&hop->target);
    mem_free(&hop->header);
    mem_free(&hop->tls_issuer);
    mem_free(&hop->bytes);
    *hop = (struct fetch_hop){ 0 };
}

void fetch_free(struct fetch *fetch)
{
    for (size_t i = 0; i < fetch->hop_count; i++)
        hop_free(&fetch->hop[i]);
    buf_free(&fetch->body);
    reservation_free(&fetch->reservation);
    *fetch = (struct fetch){ 0 };
}

int64_t fetch_time_us(const struct fetch_times *times)
{
    return times->dns_us + times->tcp_us + times->tls_us + times->wait_us + times->download_us;
}

const struct fetch_hop *fetch_last(const struct fetch *fetch)
{
    return &fetch->hop[fetch->hop_count - 1];
}

bool fetch_is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* ---- headers ---- */

const char *fetch_header_next(const struct fetch_hop *hop, const char *name, const char *value)
{
    bool is_behind = value == NULL;
    for (size_t i = 0; i < hop->header_count; i++) {
        const struct fetch_header *header = &hop->header[i];
        if (is_behind && strcasecmp(header->name.bytes, name) == 0)
            return header->value.bytes;
        is_behind = is_behind || header->value.bytes == value;
    }
    return NULL;
}

const char *fetch_header(const struct fetch_hop *hop, const char *name)
{
    return fetch_header_next(hop, name, NULL);
}

void fetch_media_type(const struct fetch *fetch, char out[static MEDIA_TYPE_BYTES])
{
    const char *type = fetch_header(fetch_last(fetch), "Content-Type");
    struct text word = type ? (struct text){ type, strcspn(type, ";,") } : TEXT("");
    word = text_trim(word);
    size_t size = MIN(word.size, MEDIA_TYPE_BYTES - 1);
    for (size_t i = 0; i < size; i++)
        out[i] = (char)tolower((unsigned char)word.bytes[i]);
    out[size] = '\0';
}
