/*
 * svc-security/security-headers/tests/site.h - responses of a site, from a text:
 *
 *     https https://a.example/ 301         a hop of the https URL; "unverified" may follow
 *     Location: /x                         its headers
 *     https https://a.example/x 200
 *     http http://a.example/ 301           a hop of the http URL
 *     options 204                          the response to the preflight, for ORIGIN
 *     loops                                the http URL has endless redirects
 *     broken                               the body of the previous URL is incomplete
 *                                          an empty line: the body of that URL follows
 *
 * A text with another first line has the headers of https://www.example.com/. Any bytes are valid.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "security-headers/assess.h"

#define ORIGIN "https://0123456789abcdef.example"

enum { SITE_HEADERS_MAX = FETCH_HEADER_LINES };

struct site {
    struct fetch https, http, options;
    struct responses responses;
};

static inline void site_free(struct site *site)
{
    fetch_free(&site->https);
    fetch_free(&site->http);
    fetch_free(&site->options);
}

static inline struct text site_word(struct text *line)
{
    const char *blank = line->size > 0 ? memchr(line->bytes, ' ', line->size) : NULL;
    struct text word = { line->bytes, blank ? (size_t)(blank - line->bytes) : line->size };
    line->bytes += word.size + (blank != NULL);
    line->size -= word.size + (blank != NULL);
    return word;
}

/* Add a hop. Returns false for an invalid URL or too many hops. */
static inline bool site_add_hop(struct fetch *fetch, struct text line)
{
    struct fetch_hop *hop = &fetch->hop[fetch->hop_count];
    struct text url = site_word(&line);
    scoped(mem_free) char *status = NULL;
    if (fetch->hop_count > FETCH_REDIRECTS_MAX || !target_parse_url(url, &hop->target, NULL))
        return false;
    struct text word = site_word(&line);
    status = mem_dup(word.bytes, word.size);
    hop->status = (int)strtol(status, NULL, 10) % 1000;
    hop->http_version = "1.1";
    hop->tls_verified = hop->target.is_https && !text_is(line, "unverified");
    hop->header = mem_array(SITE_HEADERS_MAX, sizeof(*hop->header));
    hop->bytes = mem_new(FETCH_HEADER_BYTES);
    fetch->hop_count++;
    return true;
}

static inline void site_add_header(struct fetch_hop *hop, struct text line)
{
    const char *colon = line.size > 0 ? memchr(line.bytes, ':', line.size) : NULL;
    size_t used = 0;
    if (hop->header_count > 0) {
        struct text last = hop->header[hop->header_count - 1].value;
        used = (size_t)(last.bytes + last.size + 1 - hop->bytes);
    }
    if (!colon || hop->header_count == SITE_HEADERS_MAX ||
        used + line.size + 2 > FETCH_HEADER_BYTES)
        return;
    struct text name = { line.bytes, (size_t)(colon - line.bytes) };
    struct text value = text_trim((struct text){ colon + 1, line.size - name.size - 1 });
    char *bytes = hop->bytes + used;
    memcpy(bytes, name.bytes, name.size);
    memcpy(bytes + name.size + 1, value.bytes, value.size);
    bytes[name.size] = bytes[name.size + 1 + value.size] = '\0';
    hop->header[hop->header_count++] = (struct fetch_header){
        .name = { bytes, name.size },
        .value = { bytes + name.size + 1, value.size },
    };
}

static inline bool site_begins(struct text line, const char *word)
{
    size_t size = strlen(word);
    return line.size >= size && memcmp(line.bytes, word, size) == 0;
}

/* Read one line; *current is its chain of hops. */
static inline void site_read_line(struct site *site, struct text line, struct fetch **current)
{
    struct fetch *chain = site_begins(line, "https http")  ? &site->https
                          : site_begins(line, "http http") ? &site->http
                                                           : NULL;
    if (chain) {
        site_word(&line);
        if (site_add_hop(chain, line))
            *current = chain;
    } else if (site_begins(line, "options ")) {
        if (site->options.hop_count == 0 &&
            site_add_hop(&site->options, TEXT("https://www.example.com/ 204")))
            *current = &site->options;
    } else if (text_is(line, "loops")) {
        site->responses.http_loops = true;
    } else if (text_is(line, "broken") && *current) {
        (*current)->end = FETCH_BROKEN;
    } else if (*current) {
        site_add_header(&(*current)->hop[(*current)->hop_count - 1], line);
    }
}

static inline void site_read(struct text text, struct site *site)
{
    struct fetch *current = NULL;
    *site = (struct site){ 0 };
    if (!site_begins(text, "http"))
        site_read_line(site, TEXT("https https://www.example.com/ 200"), &current);
    while (text.size > 0) {
        const char *end = memchr(text.bytes, '\n', text.size);
        struct text line = { text.bytes, end ? (size_t)(end - text.bytes) : text.size };
        text.bytes += line.size + (end != NULL);
        text.size -= line.size + (end != NULL);
        if (line.size == 0 && current) {
            current->body = (struct buf)BUF(FETCH_BODY_BYTES);
            buf_add(&current->body, text.bytes, text.size);
            break;
        }
        site_read_line(site, line, &current);
    }
    site->responses.https = site->https.hop_count > 0 ? &site->https : NULL;
    site->responses.http = site->http.hop_count > 0 ? &site->http : NULL;
    site->responses.preflight = site->options.hop_count > 0 ? &site->options.hop[0] : NULL;
    site->responses.origin = ORIGIN;
}

/* The tool's data files, as configured by the environment. The caller frees it. */
static inline struct knowledge *site_knowledge(void)
{
    scoped(conf_free) struct conf *conf = NULL;
    void *knowledge = NULL;
    struct err err = { 0 };
    if (!conf_load(NULL, &conf, &err) ||
        !knowledge_load(conf, SOURCE_ROOT "/svc-security", &knowledge, &err)) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
    return knowledge;
}

static inline void site_assess(const struct site *site, const struct knowledge *knowledge,
                               struct assessment *assessment)
{
    scoped(public_suffixes_free) struct public_suffixes *suffixes = NULL;
    if (!public_suffixes_load("", &suffixes, NULL))
        abort();
    assess(&site->responses, knowledge, suffixes, assessment);
}
