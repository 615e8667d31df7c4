/* svc-email/email-header-analyzer/received.c - take off the date, sort a field's tokens into
 * clauses, and read each clause. */
#include "email-header-analyzer/received.h"

#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/num.h"
#include "email-header-analyzer/received-reading.h"

enum { DATE_MAX_BYTES = 200 };

/* ---- clauses ---- */

static const struct clause_word {
    const char *word;
    enum clause_kind kind;
} clause_words[] = {
    { "from", CLAUSE_FROM },
    { "by", CLAUSE_BY },
    { "via", CLAUSE_VIA },
    { "with", CLAUSE_WITH },
    { "id", CLAUSE_ID },
    { "for", CLAUSE_FOR },
    { "envelope-from", CLAUSE_ENVELOPE },
    { "envelope-sender", CLAUSE_ENVELOPE },
    { "helo", CLAUSE_HELO },
};

static const struct clause_word *clause_word(const struct token *token)
{
    for (size_t i = 0; token->kind == TOKEN_ATOM && i < countof(clause_words); i++)
        if (text_is_any_case(token->text, clause_words[i].word))
            return &clause_words[i];
    return NULL;
}

static void find_clauses(struct reading *reading)
{
    struct clause *open = NULL;
    for (size_t i = 0; i < reading->count; i++) {
        const struct clause_word *word = clause_word(&reading->token[i]);
        bool opens = word && !reading->clause[word->kind].is_open && i + 1 < reading->count &&
                     (!clause_word(&reading->token[i + 1]) || word->kind == CLAUSE_FROM);
        if (opens) {
            open = &reading->clause[word->kind];
            *open = (struct clause){ .first = i + 1, .is_open = true };
        } else if (open) {
            open->count++;
        }
    }
}

/* The n-th token of a clause without comments; NULL: none. */
static const struct token *word_of(const struct reading *reading, enum clause_kind kind, size_t n)
{
    const struct clause *clause = &reading->clause[kind];
    for (size_t i = 0; clause->is_open && i < clause->count; i++) {
        const struct token *token = &reading->token[clause->first + i];
        if (token->kind != TOKEN_COMMENT && n-- == 0)
            return token;
    }
    return NULL;
}

static const char *text_in(struct reading *reading, enum clause_kind kind)
{
    const struct token *token = word_of(reading, kind, 0);
    return token ? received_keep(reading, received_bare(token->text)) : NULL;
}

/* All words of a clause, separated by blanks. */
static const char *words_in(struct reading *reading, enum clause_kind kind)
{
    scoped(buf_free) struct buf words = BUF(NAME_MAX_BYTES);
    const struct token *token;
    for (size_t i = 0; (token = word_of(reading, kind, i)); i++) {
        if (i > 0)
            buf_add_byte(&words, ' ');
        buf_add(&words, token->text.bytes, token->text.size);
    }
    if (words.size == 0)
        return NULL;
    char *copy = arena_copy(reading->arena, received_bare(buf_text(&words)));
    text_repair(copy);
    return *copy ? copy : NULL;
}

/* The comments state the connection (RFC 5321 section 4.4). An address outside of them is what the
 * client says of itself, unless no comment has one. */
static void read_connections(struct reading *reading, const struct token *first)
{
    const struct clause *clause = &reading->clause[CLAUSE_FROM];
    for (size_t i = 0; i < clause->count; i++) {
        const struct token *token = &reading->token[clause->first + i];
        if (token->kind == TOKEN_COMMENT)
            received_connection(reading, token->text, received_is_other(token->text));
    }
    reading->has_connection = reading->hop->from_ip != NULL;
    for (size_t i = 0; i < clause->count; i++) {
        const struct token *token = &reading->token[clause->first + i];
        if (token->kind == TOKEN_BRACKET && (token != first || received_is_address(token->text)))
            received_set_ip(reading, token->text);
    }
}

/* The first word is an address: "[192.168.1.5]" or "192.168.1.5". */
static void read_literal(struct reading *reading, struct text word)
{
    struct hop *hop = reading->hop;
    struct in6_addr address;
    received_set_ip(reading, word);
    if (!received_address(word, &address))
        return;
    hop->from = received_keep_address(reading, &address);
    if (reading->has_connection && !reading->has_helo && strcmp(hop->from, hop->from_ip) != 0)
        hop->helo = hop->from;
}

static void read_from(struct reading *reading)
{
    struct hop *hop = reading->hop;
    const struct token *first = word_of(reading, CLAUSE_FROM, 0);
    const struct token *second = word_of(reading, CLAUSE_FROM, 1);

    read_connections(reading, first);
    if (!first)
        return;
    bool is_address = received_is_address(first->text);
    if (text_is_any_case(first->text, "mail") && second && text_is_any_case(second->text, "pickup"))
        hop->from = "mail pickup service";
    else if (is_address)
        read_literal(reading, first->text);
    else
        hop->from = received_keep(reading, received_bare(first->text));
    if (first->kind == TOKEN_BRACKET || !hop->from || is_address || strchr(hop->from, ' '))
        return;
    if (reading->has_helo)
        received_set_reverse(reading, first->text);
    else
        hop->helo = hop->from;
}

/* "(from joe@host)", "(joe@localhost)": a local submission to sendmail. */
static void read_submission(struct reading *reading)
{
    const struct token *token = &reading->token[0];
    if (reading->clause[CLAUSE_FROM].is_open || reading->count == 0 || token->kind != TOKEN_COMMENT)
        return;
    struct text text = text_trim(token->text);
    if (text_begins_any_case(text, "from "))
        text = text_trim(text_skip(text, 5));
    if (text.size > 0 && memchr(text.bytes, '@', text.size) && !memchr(text.bytes, ' ', text.size))
        reading->hop->from = received_keep(reading, text);
}

static void read_by(struct reading *reading)
{
    struct hop *hop = reading->hop;
    const struct clause *clause = &reading->clause[CLAUSE_BY];
    struct in6_addr address;
    hop->by = text_in(reading, CLAUSE_BY);
    for (size_t i = 0; i < clause->count; i++) {
        const struct token *token = &reading->token[clause->first + i];
        bool may_be = token->kind == TOKEN_COMMENT || token->kind == TOKEN_BRACKET;
        const char *bracket = memchr(token->text.bytes, '[', token->text.size);
        struct text inner =
            bracket ? text_skip(token->text, (size_t)(bracket - token->text.bytes)) : token->text;
        if (may_be && !hop->by_ip && received_address(inner, &address))
            hop->by_ip = received_keep_address(reading, &address);
        else if (token->kind == TOKEN_COMMENT && !hop->software && !received_is_other(token->text))
            hop->software = received_keep(reading, token->text);
    }
}

static const char *const protocols[] = {
    "SMTP",      "ESMTP",     "ESMTPA",     "ESMTPS",    "ESMTPSA",   "LMTP",       "LMTPA",
    "LMTPS",     "LMTPSA",    "UTF8SMTP",   "UTF8SMTPA", "UTF8SMTPS", "UTF8SMTPSA", "UTF8LMTP",
    "UTF8LMTPA", "UTF8LMTPS", "UTF8LMTPSA", "SMTPS",     "SMTPA",     "SMTPSA",     "HTTP",
    "HTTPS",     "HTTPREST",  "HTTPU",      "ASMTP",     "LOCAL",     "MAPI",       "POP3",
    "IMAP",      "QMQP",      "BSMTP",      "NNFMP",     "UUCP",      "SPOOL",      "STDIO",
    "BITNET",    "MMS",
};

/* Names of some servers' own. */
static const struct {
    const char *name;
    const char *protocol;
} protocol_aliases[] = {
    { "SMTP-TLS", "SMTPS" },        { "ESMTP-TLS", "ESMTPS" },  { "ESMTP_TLS", "ESMTPS" },
    { "ESMTPS-TLS", "ESMTPS" },     { "ESMTPTLS", "ESMTPS" },   { "ESMTPSA-TLS", "ESMTPSA" },
    { "local-smtp", "SMTP" },       { "local-esmtp", "ESMTP" }, { "local-esmtps", "ESMTPS" },
    { "local-esmtpsa", "ESMTPSA" }, { "local-bsmtp", "BSMTP" }, { "local-lmtp", "LMTP" },
    { "secure-smtp", "SMTPS" },     { "SMTP-AUTH", "SMTPA" },   { "ESMTP-AUTH", "ESMTPA" },
};

static const char *protocol_of(struct text word)
{
    const char *slash = word.size > 0 ? memchr(word.bytes, '/', word.size) : NULL;
    if (slash)
        word.size = (size_t)(slash - word.bytes);
    for (size_t i = 0; i < countof(protocols); i++)
        if (text_is_any_case(word, protocols[i]))
            return protocols[i];
    for (size_t i = 0; i < countof(protocol_aliases); i++)
        if (text_is_any_case(word, protocol_aliases[i].name))
            return protocol_aliases[i].protocol;
    return NULL;
}

static void read_with(struct reading *reading)
{
    struct hop *hop = reading->hop;
    const struct token *token;
    for (size_t i = 0; (token = word_of(reading, CLAUSE_WITH, i)) && !hop->protocol; i++) {
        if (i == 0 && text_is_any_case(token->text, "Microsoft"))
            hop->protocol = "MICROSOFT SMTP SERVER";
        else
            hop->protocol = protocol_of(token->text);
        if (token->kind != TOKEN_ATOM || !hop->protocol)
            continue;
        /* "esmtp/TLS/cipher" */
        struct text rest = token->text;
        text_cut(&rest, '/');
        if (!text_begins_any_case(rest, "TLS"))
            continue;
        hop->tls = HOP_TLS_YES;
        text_cut(&rest, '/');
        received_set_cipher(reading, rest);
    }
    /* Exim's "with esmtps (TLS1.3) tls TLS_AES_256_GCM_SHA384" */
    for (size_t i = 1; (token = word_of(reading, CLAUSE_WITH, i)); i++) {
        const struct token *next = word_of(reading, CLAUSE_WITH, i + 1);
        if (!text_is_any_case(token->text, "tls"))
            continue;
        hop->tls = HOP_TLS_YES;
        if (next && received_is_cipher(next->text))
            received_set_cipher(reading, next->text);
    }
}

/* A second "from <addr>" after the recipient is the envelope sender. */
static void read_for(struct reading *reading)
{
    const struct token *token;
    reading->hop->recipient = text_in(reading, CLAUSE_FOR);
    for (size_t i = 1; (token = word_of(reading, CLAUSE_FOR, i)); i++) {
        const struct token *next = word_of(reading, CLAUSE_FOR, i + 1);
        if (text_is_any_case(token->text, "from") && next && next->kind == TOKEN_ANGLE &&
            !reading->hop->envelope_from)
            reading->hop->envelope_from = received_keep(reading, next->text);
    }
}

/* ---- conclusions ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text);
    return size >= strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

/* By the protocol's name (RFC 3848). */
static void conclude_protocol(struct hop *hop)
{
    const char *protocol = hop->protocol;
    hop->authenticated |= hop->via && strcasecmp(hop->via, "HTTP") == 0;
    if (!protocol)
        return;
    bool is_mail = strstr(protocol, "MTP") && strcmp(protocol, "ASMTP") != 0;
    bool is_secure = is_mail && (ends_with(protocol, "S") || ends_with(protocol, "SA"));
    bool is_known = is_mail && (ends_with(protocol, "A"));
    if (is_secure || (strcmp(protocol, "HTTPS") == 0))
        hop->tls = HOP_TLS_YES;
    else if (is_mail && hop->tls == HOP_TLS_UNKNOWN && hop->from)
        hop->tls = HOP_TLS_NO;
    hop->authenticated |= is_known || strcmp(protocol, "ASMTP") == 0 ||
                          strcmp(protocol, "HTTP") == 0 || strcmp(protocol, "HTTPREST") == 0 ||
                          strcmp(protocol, "HTTPU") == 0;
}

static bool is_internal(const struct hop *hop)
{
    if (hop->from_ip)
        return !hop->is_from_public;
    return !hop->from || strcasecmp(hop->from, "localhost") == 0 ||
           strncmp(hop->from, "127.", 4) == 0 || strchr(hop->from, ' ') /* mail pickup service */;
}

static const char *form_of(struct text raw)
{
    static const struct {
        const char *name;
        const char *mark;
    } forms[] = {
#define FORM(name, mark) { name, mark },
#include "email-header-analyzer/received-form.def"
#undef FORM
    };
    char lower[NAME_MAX_BYTES];
    raw.size = MIN(raw.size, sizeof(lower));
    for (size_t i = 0; i < raw.size; i++)
        lower[i] = ascii_lower(raw.bytes[i]);
    for (size_t i = 0; i < countof(forms); i++)
        if (memmem(lower, raw.size, forms[i].mark, strlen(forms[i].mark)))
            return forms[i].name;
    return NULL;
}

/* ---- the date ---- */

static bool try_date(struct text text, struct reading *reading)
{
    struct hop *hop = reading->hop;
    text = text_trim(text);
    if (text.size == 0 || text.size > DATE_MAX_BYTES)
        return false;
    hop->date_fit = mail_date_read(text, &hop->date_s);
    if (hop->date_fit == MAIL_DATE_NONE)
        return false;
    hop->date_raw = received_keep(reading, text);
    return true;
}

/* PowerMTA writes the envelope sender after the date. */
static void read_comments_behind(struct text date, struct reading *reading)
{
    const char *open;
    while (date.size > 0 && (open = memchr(date.bytes, '(', date.size))) {
        date = text_skip(date, (size_t)(open - date.bytes));
        size_t bytes = received_enclosed_bytes(date, '(', ')');
        if (bytes == 0)
            return;
        received_comment(reading, (struct text){ date.bytes + 1, bytes - 2 });
        date = text_skip(date, bytes);
    }
}

/* A comment after the date may be longer than a date. */
static bool try_date_before_comment(struct text text, struct reading *reading)
{
    const char *comment = memchr(text.bytes, '(', text.size);
    return comment &&
           try_date((struct text){ text.bytes, (size_t)(comment - text.bytes) }, reading);
}

/* Without a semicolon, search from the right for the word that begins a date. */
static size_t date_without_mark(struct text text)
{
    size_t first = text.size > DATE_MAX_BYTES ? text.size - DATE_MAX_BYTES : 0;
    for (size_t at = text.size; at > first; at--) {
        struct text rest = text_skip(text, at - 1);
        struct text word;
        if (at > 1 && !received_is_blank(text.bytes[at - 2]))
            continue;
        received_take_word(&rest, &word);
        bool is_iso = word.size >= 10 && ascii_is_digit(word.bytes[0]) && word.bytes[4] == '-' &&
                      word.bytes[7] == '-';
        if (is_iso || (word.size > 0 && mail_date_is_weekday(word)))
            return at - 1;
    }
    return text.size;
}

/* Take the date off *text. */
static void read_date(struct text *text, struct reading *reading)
{
    const char *mark = text->size > 0 ? memrchr(text->bytes, ';', text->size) : NULL;
    if (mark) {
        struct text date = text_skip(*text, (size_t)(mark + 1 - text->bytes));
        if (try_date(date, reading) || try_date_before_comment(date, reading)) {
            read_comments_behind(date, reading);
            text->size = (size_t)(mark - text->bytes);
            return;
        }
        if (!memchr(date.bytes, ')', date.size))
            reading->hop->date_raw = received_keep(reading, date);
    }
    size_t at = date_without_mark(*text);
    if (at < text->size && try_date(text_skip(*text, at), reading))
        text->size = at;
}

void received_read(struct text value, struct arena *arena, struct hop *hop)
{
    struct reading whole = { .arena = arena, .hop = hop };
    struct reading *reading = &whole;
    struct text text = value;

    *hop = (struct hop){ .raw = arena_copy(arena, value) };
    read_date(&text, reading);
    received_tokenize(text, reading);
    find_clauses(reading);
    for (size_t i = 0; i < reading->count; i++)
        if (reading->token[i].kind == TOKEN_COMMENT)
            received_comment(reading, reading->token[i].text);
    read_from(reading);
    read_submission(reading);
    read_by(reading);
    read_with(reading);
    read_for(reading);
    hop->id = text_in(reading, CLAUSE_ID);
    hop->via = words_in(reading, CLAUSE_VIA);
    if (!hop->helo)
        hop->helo = text_in(reading, CLAUSE_HELO);
    if (!hop->envelope_from)
        hop->envelope_from = text_in(reading, CLAUSE_ENVELOPE);
    conclude_protocol(hop);
    hop->internal = is_internal(hop);
    const char *form = form_of(value);
    for (size_t i = 0; i < CLAUSES; i++)
        hop->parse_ok |= reading->clause[i].is_open && reading->clause[i].count > 0;
    hop->parse_ok |= form != NULL || hop->from;
    hop->form = !hop->parse_ok ? "unparsed" : form ? form : "generic";
}
