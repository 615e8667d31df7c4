/* svc-email/email-header-analyzer/received-comment.c - read comments: the client's name and
 * address, TLS, authentication. */
#include "email-header-analyzer/received-reading.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/cidr.h"
#include "base/num.h"
#include "net/guard.h"
#include "net/host.h"

enum { ADDRESS_MAX_BYTES = 64 };

/* ---- addresses ---- */

/* Remove the port of an IPv4 address: "63.1.2.3.63559", "10.0.0.1:25". */
static struct text without_port(struct text text)
{
    size_t dots = 0;
    for (size_t i = 0; i < text.size; i++) {
        dots += text.bytes[i] == '.';
        if ((text.bytes[i] == ':' && dots == 3) || dots == 4)
            return (struct text){ text.bytes, i };
    }
    return text;
}

bool received_address(struct text text, struct in6_addr *address)
{
    size_t end = 0;
    text = received_bare(text);
    while (end < text.size && text.bytes[end] != ']' && text.bytes[end] != '%')
        end++; /* "[10.0.0.1]:25", "fe80::1%6" */
    text.size = end;
    if (text_begins_any_case(text, "IPv6:"))
        text = text_skip(text, 5);
    return text.size > 0 && text.size < ADDRESS_MAX_BYTES &&
           (address_parse(text, address) || address_parse(without_port(text), address));
}

const char *received_keep_address(struct reading *reading, const struct in6_addr *address)
{
    struct host host;
    host_of_address(address, &host);
    return arena_copy(reading->arena, text_of(host.name));
}

void received_set_ip(struct reading *reading, struct text text)
{
    static const struct guard open_guard = { 0 };
    struct in6_addr address;
    if (reading->hop->from_ip || !received_address(text, &address))
        return;
    reading->hop->from_ip = received_keep_address(reading, &address);
    reading->hop->is_from_public = guard_allows_address(&open_guard, &address);
}

bool received_is_address(struct text text)
{
    struct in6_addr address;
    return received_address(text, &address);
}

/* ---- TLS ---- */

static bool is_tls_word(struct text word)
{
    return text_begins_any_case(word, "TLS") || text_begins_any_case(word, "SSLv");
}

/* Set the version as OpenSSL prints it: from "TLS1_2", "TLS1.3", "TLSv1", "TLS-1.0". */
static void set_version(struct reading *reading, struct text word)
{
    char version[] = "TLSv1.0";
    if (text_begins_any_case(word, "SSLv") && word.size >= 5 && ascii_is_digit(word.bytes[4])) {
        char ssl[] = "SSLv3";
        ssl[4] = word.bytes[4];
        reading->hop->tls_version = arena_copy(reading->arena, text_of(ssl));
        return;
    }
    word = text_strip(text_skip(word, 3), "vV-_ ", "");
    if (word.size == 0 || word.bytes[0] != '1')
        return;
    if (word.size >= 3 && strchr("._", word.bytes[1]) && ascii_is_digit(word.bytes[2]))
        version[6] = word.bytes[2];
    reading->hop->tls_version = arena_copy(reading->arena, text_of(version));
}

bool received_is_cipher(struct text word)
{
    return word.size > 5 &&
           (memchr(word.bytes, '-', word.size) || memchr(word.bytes, '_', word.size));
}

void received_set_cipher(struct reading *reading, struct text word)
{
    word = received_bare(word);
    if (!reading->hop->tls_cipher && word.size > 0)
        reading->hop->tls_cipher = received_keep(reading, word);
}

/* "TLSv1.3:TLS_AES_256_GCM_SHA384:256", "TLS1.2:ECDHE_RSA_AES_256_GCM_SHA384:256". */
static void read_exim_tls(struct reading *reading, struct text word)
{
    struct text version = text_cut(&word, ':');
    set_version(reading, version);
    if (word.size > 0)
        received_set_cipher(reading, text_cut(&word, ':'));
}

/* Read words about TLS, inside or outside a comment. */
static void read_tls(struct reading *reading, struct text text)
{
    struct hop *hop = reading->hop;
    struct text word;
    bool is_cipher_next = false;
    while (received_take_word(&text, &word)) {
        word = received_bare(word);
        if (text_begins_any_case(word, "version="))
            word = text_skip(word, 8);
        if (text_begins_any_case(word, "cipher="))
            received_set_cipher(reading, text_skip(word, 7));
        else if (is_cipher_next)
            received_set_cipher(reading, word);
        else if (is_tls_word(word) && !text_begins_any_case(word, "TLS_") && !hop->tls_version)
            read_exim_tls(reading, word);
        else if (hop->tls_version && received_is_cipher(word) && text_begins_any_case(word, "TLS_"))
            received_set_cipher(reading, word);
        if (hop->tls_version || text_is_any_case(word, "encrypted"))
            hop->tls = HOP_TLS_YES;
        is_cipher_next = text_is_any_case(word, "cipher") || text_is_any_case(word, "tls");
    }
}

/* qmail: "(AES256-GCM-SHA384 encrypted)". */
static void read_encrypted(struct reading *reading, struct text comment)
{
    struct text rest = comment;
    struct text word;
    if (!text_has_any_case(comment, "encrypted"))
        return;
    reading->hop->tls = HOP_TLS_YES;
    while (received_take_word(&rest, &word))
        if (received_is_cipher(word) && !text_has_any_case(word, "encrypted"))
            received_set_cipher(reading, word);
}

/* ---- authentication ---- */

static void read_authentication(struct reading *reading, struct text comment)
{
    static const char *const marks[] = { "Authenticated sender:", "authenticated user", "account ",
                                         "AUTH:", "Authenticated user:" };
    struct hop *hop = reading->hop;
    if (text_has_any_case(comment, "authenticated bits="))
        hop->authenticated = true;
    for (size_t i = 0; i < countof(marks); i++) {
        size_t bytes = strlen(marks[i]);
        for (size_t at = 0; at + bytes <= MIN(comment.size, (size_t)NAME_MAX_BYTES); at++) {
            struct text rest = text_skip(comment, at);
            struct text word;
            if (!text_begins_any_case(rest, marks[i]))
                continue;
            hop->authenticated = true;
            rest = text_skip(rest, bytes);
            if (!hop->auth_user && received_take_word(&rest, &word))
                hop->auth_user = received_keep(reading, received_bare(word));
        }
    }
}

/* ---- connections ---- */

/* "IDENT:joe@host": the reverse name after the identd answer. */
static struct text without_user(struct text word)
{
    const char *at = word.size > 0 ? memrchr(word.bytes, '@', word.size) : NULL;
    return at ? text_skip(word, (size_t)(at + 1 - word.bytes)) : word;
}

void received_set_reverse(struct reading *reading, struct text word)
{
    struct hop *hop = reading->hop;
    word = received_bare(without_user(word));
    if (word.size == 0)
        return;
    if (text_is_any_case(word, "unknown") || text_is_any_case(word, "unverified") ||
        text_is_any_case(word, "softdnserr"))
        hop->has_no_reverse = true;
    else if (!hop->from_rdns && !received_is_address(word) &&
             (memchr(word.bytes, '.', word.size) || text_is_any_case(word, "localhost")))
        hop->from_rdns = received_keep(reading, word);
}

/* "name[address]" has two words; a single bracket is an address. */
static void read_connection_word(struct reading *reading, struct text word)
{
    const char *bracket = memchr(word.bytes, '[', word.size);
    if (bracket) {
        struct text name = { word.bytes, (size_t)(bracket - word.bytes) };
        if (name.size == 1 && name.bytes[0] == '(')
            name.size = 0;
        received_set_reverse(reading, name);
        received_set_ip(reading, text_skip(word, name.size));
    } else if (received_is_address(without_user(word))) {
        received_set_ip(reading, without_user(word));
    } else {
        received_set_reverse(reading, word);
    }
}

static const char *const helo_words[] = { "HELO", "EHLO", "LHLO" };

static void set_helo(struct reading *reading, struct text word)
{
    word = received_bare(word);
    reading->has_helo = true;
    if (!reading->hop->helo && word.size > 0)
        reading->hop->helo = received_keep(reading, word);
}

void received_connection(struct reading *reading, struct text comment, bool is_other)
{
    struct text word;
    struct text rest = comment;
    bool is_helo_next = false;

    if (text_has_any_case(comment, "RDNS failed") || text_has_any_case(comment, "unverified"))
        reading->hop->has_no_reverse = true;
    if (text_has_any_case(comment, "may be forged"))
        reading->hop->is_reverse_doubtful = true;
    while (received_take_word(&rest, &word)) {
        if (is_helo_next) {
            set_helo(reading, word);
            is_helo_next = false;
        } else if (text_begins_any_case(received_bare(word), "helo=")) {
            set_helo(reading, text_skip(received_bare(word), 5));
        } else if (text_is_among(received_bare(word), helo_words, countof(helo_words))) {
            is_helo_next = true;
            reading->has_helo = true;
        } else if (!is_other && !memchr(word.bytes, '=', word.size)) {
            read_connection_word(reading, word);
        }
    }
}

bool received_is_other(struct text comment)
{
    static const char *const words[] = {
        "using ",   "version=",      "Authenticated",  "authenticated",
        "account ", "AUTH:",         "No client cert", "envelope-",
        "Client ",  "may be forged", "Squirrel",       "TLS",
        "SSL"
    };
    struct text trimmed = text_trim(comment);
    for (size_t i = 0; i < countof(words); i++)
        if (text_begins_any_case(trimmed, words[i]))
            return true;
    return false;
}

void received_comment(struct reading *reading, struct text comment)
{
    struct text rest = comment;
    struct text word;
    bool is_sender_next = false;
    if (received_is_other(comment) || text_has_any_case(comment, "TLS") ||
        text_has_any_case(comment, "cipher="))
        read_tls(reading, comment);
    read_encrypted(reading, comment);
    read_authentication(reading, comment);
    while (received_take_word(&rest, &word)) {
        struct text plain = received_bare(word);
        if (is_sender_next && !reading->hop->envelope_from)
            reading->hop->envelope_from = received_keep(reading, plain);
        is_sender_next =
            text_is_any_case(plain, "envelope-from") || text_is_any_case(plain, "envelope-sender");
    }
}
