/* svc-email/email-header-analyzer/received.c - a field is cut into tokens, the tokens into clauses,
 * and each clause and comment says what it can. */
#include "email-header-analyzer/received.h"

#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/codec/cidr.h"
#include "base/codec/utf8.h"
#include "base/num.h"
#include "base/text.h"
#include "net/guard.h"
#include "net/host.h"

enum {
    TOKENS_MAX = 400, /* of one field; the rest of a longer one is not looked at */
    COMMENT_DEPTH_MAX = 10,
    UNCLOSED_MAX = 4, /* brackets without an end that are looked for */
    DATE_MAX_BYTES = 200,
    NAME_MAX_BYTES = 1000,
    ADDRESS_MAX_BYTES = 64,
};

enum token_kind { TOKEN_ATOM, TOKEN_QUOTED, TOKEN_ANGLE, TOKEN_BRACKET, TOKEN_COMMENT };

struct token {
    enum token_kind kind;
    struct text text; /* without what encloses it */
};

enum clause_kind {
    CLAUSE_FROM,
    CLAUSE_BY,
    CLAUSE_VIA,
    CLAUSE_WITH,
    CLAUSE_ID,
    CLAUSE_FOR,
    CLAUSE_ENVELOPE,
    CLAUSE_HELO,
    CLAUSE_USER,
    CLAUSES
};

/* Tokens of a clause, without its word; from count on the next one follows. */
struct clause {
    size_t first;
    size_t count;
    bool is_open;
};

struct reading {
    struct token token[TOKENS_MAX];
    size_t count;
    struct clause clause[CLAUSES];
    struct arena *arena;
    struct hop *hop;
    bool has_helo; /* a comment said it, so the first word is the reverse name */
};

/* ---- tokens ---- */

/* Bytes of what is enclosed at the beginning, with both ends; 0 when it has no end. */
static size_t enclosed_bytes(struct text text, char open, char close)
{
    size_t depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] == '\\' && open != '<')
            i++;
        else if (text.bytes[i] == open && (open == '(' || depth == 0))
            depth++;
        else if (text.bytes[i] == close && --depth == 0)
            return i + 1;
        if (depth > COMMENT_DEPTH_MAX)
            return 0;
    }
    return 0;
}

static size_t quoted_bytes(struct text text)
{
    for (size_t i = 1; i < text.size; i++) {
        if (text.bytes[i] == '\\')
            i++;
        else if (text.bytes[i] == '"')
            return i + 1;
    }
    return 0;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static size_t atom_bytes(struct text text)
{
    size_t end = 1;
    while (end < text.size && !strchr(" \t(<;\"", text.bytes[end]) &&
           !(text.bytes[end] == '[' && text.bytes[end - 1] != '@'))
        end++;
    return MIN(end, text.size);
}

/* The next token off *rest. What has no end is passed over as one byte; that is looked for only a
 * few times, which keeps a row of open brackets linear. */
static bool take_token(struct text *rest, struct token *token, int *unclosed)
{
    static const struct {
        char open, close;
        enum token_kind kind;
    } pairs[] = { { '(', ')', TOKEN_COMMENT },
                  { '<', '>', TOKEN_ANGLE },
                  { '[', ']', TOKEN_BRACKET } };

    while (rest->size > 0) {
        char first = rest->bytes[0];
        size_t bytes = 0;
        if (is_blank(first) || strchr(";,)>]", first)) {
            *rest = text_skip(*rest, 1);
            continue;
        }
        token->kind = TOKEN_ATOM;
        for (size_t i = 0; i < countof(pairs) && *unclosed > 0; i++)
            if (first == pairs[i].open) {
                bytes = enclosed_bytes(*rest, pairs[i].open, pairs[i].close);
                token->kind = pairs[i].kind;
            }
        if (first == '"' && *unclosed > 0) {
            bytes = quoted_bytes(*rest);
            token->kind = TOKEN_QUOTED;
        }
        if (bytes > 0) {
            token->text = (struct text){ rest->bytes + 1, bytes - 2 };
            *rest = text_skip(*rest, bytes);
            return true;
        }
        if (strchr("(<[\"", first)) {
            (*unclosed)--;
            *rest = text_skip(*rest, 1);
            continue;
        }
        bytes = atom_bytes(*rest);
        token->kind = TOKEN_ATOM;
        token->text = (struct text){ rest->bytes, bytes };
        *rest = text_skip(*rest, bytes);
        return true;
    }
    return false;
}

static void tokenize(struct text text, struct reading *reading)
{
    int unclosed = UNCLOSED_MAX;
    while (reading->count < TOKENS_MAX &&
           take_token(&text, &reading->token[reading->count], &unclosed))
        reading->count++;
}

/* ---- strings ---- */

static const char *keep(struct reading *reading, struct text text)
{
    text = utf8_cut(text_trim(text), NAME_MAX_BYTES);
    return text.size > 0 ? arena_copy(reading->arena, text) : NULL;
}

/* Without brackets around it, dots and commas behind it. */
static struct text bare(struct text word)
{
    word = text_trim(word);
    while (word.size > 0 && strchr("<[(\"'", word.bytes[0]))
        word = text_skip(word, 1);
    while (word.size > 0 && strchr(">])\"'.,;", word.bytes[word.size - 1]))
        word.size--;
    return word;
}

/* The next word off *rest, up to a blank. */
static bool take_word(struct text *rest, struct text *word)
{
    *rest = text_trim(*rest);
    size_t end = 0;
    while (end < rest->size && !is_blank(rest->bytes[end]))
        end++;
    *word = (struct text){ rest->bytes, end };
    *rest = text_skip(*rest, end);
    return end > 0;
}

/* ---- addresses ---- */

/* "63.1.2.3.63559", "10.0.0.1:25": an IPv4 address with its port. */
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

/* An address with all that may stand around it; false when it is none. */
static bool read_address(struct text text, struct in6_addr *address)
{
    size_t end = 0;
    text = bare(text);
    while (end < text.size && text.bytes[end] != ']' && text.bytes[end] != '%')
        end++; /* "[10.0.0.1]:25", "fe80::1%6" */
    text.size = end;
    if (text_begins_any_case(text, "IPv6:"))
        text = text_skip(text, 5);
    return text.size > 0 && text.size < ADDRESS_MAX_BYTES &&
           (address_parse(text, address) || address_parse(without_port(text), address));
}

static const char *keep_address(struct reading *reading, const struct in6_addr *address)
{
    struct host host;
    host_of_address(address, &host);
    return arena_copy(reading->arena, text_of(host.name));
}

static void set_from_ip(struct reading *reading, struct text text)
{
    static const struct guard open_guard = { 0 };
    struct in6_addr address;
    if (reading->hop->from_ip || !read_address(text, &address))
        return;
    reading->hop->from_ip = keep_address(reading, &address);
    reading->hop->is_from_public = guard_allows_address(&open_guard, &address);
}

static bool is_address(struct text text)
{
    struct in6_addr address;
    return read_address(text, &address);
}

/* ---- TLS ---- */

static bool is_tls_word(struct text word)
{
    return text_begins_any_case(word, "TLS") || text_begins_any_case(word, "SSLv");
}

/* "TLS1_2", "TLS1.3", "TLSv1", "TLS-1.0": the version as OpenSSL prints it. */
static void set_version(struct reading *reading, struct text word)
{
    char version[] = "TLSv1.0";
    if (text_begins_any_case(word, "SSLv") && word.size >= 5 &&
        ascii_is_digit((unsigned char)word.bytes[4])) {
        char ssl[] = "SSLv3";
        ssl[4] = word.bytes[4];
        reading->hop->tls_version = arena_copy(reading->arena, text_of(ssl));
        return;
    }
    word = text_skip(word, 3);
    while (word.size > 0 && strchr("vV-_ ", word.bytes[0]))
        word = text_skip(word, 1);
    if (word.size == 0 || word.bytes[0] != '1')
        return;
    if (word.size >= 3 && strchr("._", word.bytes[1]) &&
        ascii_is_digit((unsigned char)word.bytes[2]))
        version[6] = word.bytes[2];
    reading->hop->tls_version = arena_copy(reading->arena, text_of(version));
}

static bool is_cipher(struct text word)
{
    return word.size > 5 &&
           (memchr(word.bytes, '-', word.size) || memchr(word.bytes, '_', word.size));
}

static void set_cipher(struct reading *reading, struct text word)
{
    word = bare(word);
    if (!reading->hop->tls_cipher && word.size > 0)
        reading->hop->tls_cipher = keep(reading, word);
}

/* "TLSv1.3:TLS_AES_256_GCM_SHA384:256", "TLS1.2:ECDHE_RSA_AES_256_GCM_SHA384:256". */
static void read_exim_tls(struct reading *reading, struct text word)
{
    struct text version = text_cut(&word, ':');
    set_version(reading, version);
    if (word.size > 0)
        set_cipher(reading, text_cut(&word, ':'));
}

/* Words about TLS, in a comment or beside it. */
static void read_tls(struct reading *reading, struct text text)
{
    struct hop *hop = reading->hop;
    struct text word;
    bool is_cipher_next = false;
    while (take_word(&text, &word)) {
        word = bare(word);
        if (text_begins_any_case(word, "version="))
            word = text_skip(word, 8);
        if (text_begins_any_case(word, "cipher="))
            set_cipher(reading, text_skip(word, 7));
        else if (is_cipher_next)
            set_cipher(reading, word);
        else if (is_tls_word(word) && !text_begins_any_case(word, "TLS_") && !hop->tls_version)
            read_exim_tls(reading, word);
        else if (hop->tls_version && is_cipher(word) && text_begins_any_case(word, "TLS_"))
            set_cipher(reading, word);
        if (hop->tls_version || text_is_any_case(word, "encrypted"))
            hop->tls = HOP_TLS_YES;
        is_cipher_next = text_is_any_case(word, "cipher") || text_is_any_case(word, "tls");
    }
}

/* Qmail's: "(AES256-GCM-SHA384 encrypted)". */
static void read_encrypted(struct reading *reading, struct text comment)
{
    struct text rest = comment;
    struct text word;
    if (!text_has_any_case(comment, "encrypted"))
        return;
    reading->hop->tls = HOP_TLS_YES;
    while (take_word(&rest, &word))
        if (is_cipher(word) && !text_has_any_case(word, "encrypted"))
            set_cipher(reading, word);
}

/* ---- who authenticated ---- */

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
            if (!hop->auth_user && take_word(&rest, &word))
                hop->auth_user = keep(reading, bare(word));
        }
    }
}

/* ---- the comment about a connection ---- */

/* "IDENT:joe@host" is the reverse name with what identd said before it. */
static struct text without_user(struct text word)
{
    const char *at = word.size > 0 ? memrchr(word.bytes, '@', word.size) : NULL;
    return at ? text_skip(word, (size_t)(at + 1 - word.bytes)) : word;
}

static void set_reverse(struct reading *reading, struct text word)
{
    struct hop *hop = reading->hop;
    word = bare(without_user(word));
    if (word.size == 0)
        return;
    if (text_is_any_case(word, "unknown") || text_is_any_case(word, "unverified") ||
        text_is_any_case(word, "softdnserr"))
        hop->has_no_reverse = true;
    else if (!hop->from_rdns && !is_address(word) &&
             (memchr(word.bytes, '.', word.size) || text_is_any_case(word, "localhost")))
        hop->from_rdns = keep(reading, word);
}

/* "name[address]" is two words; a bracket alone is an address. */
static void read_connection_word(struct reading *reading, struct text word)
{
    const char *bracket = memchr(word.bytes, '[', word.size);
    if (bracket) {
        struct text name = { word.bytes, (size_t)(bracket - word.bytes) };
        if (name.size == 1 && name.bytes[0] == '(')
            name.size = 0;
        set_reverse(reading, name);
        set_from_ip(reading, text_skip(word, name.size));
    } else if (is_address(without_user(word))) {
        set_from_ip(reading, without_user(word));
    } else {
        set_reverse(reading, word);
    }
}

static const char *const helo_words[] = { "HELO", "EHLO", "LHLO" };

static bool is_helo_word(struct text word)
{
    for (size_t i = 0; i < countof(helo_words); i++)
        if (text_is_any_case(word, helo_words[i]))
            return true;
    return false;
}

static void set_helo(struct reading *reading, struct text word)
{
    word = bare(word);
    reading->has_helo = true;
    if (!reading->hop->helo && word.size > 0)
        reading->hop->helo = keep(reading, word);
}

/* What stands in a comment of the from clause; of one that is about something else only the name
 * that the giver calls itself. */
static void read_connection(struct reading *reading, struct text comment, bool is_other)
{
    struct text word;
    struct text rest = comment;
    bool is_helo_next = false;

    if (text_has_any_case(comment, "RDNS failed") || text_has_any_case(comment, "unverified"))
        reading->hop->has_no_reverse = true;
    while (take_word(&rest, &word)) {
        if (is_helo_next) {
            set_helo(reading, word);
            is_helo_next = false;
        } else if (text_begins_any_case(bare(word), "helo=")) {
            set_helo(reading, text_skip(bare(word), 5));
        } else if (is_helo_word(bare(word))) {
            is_helo_next = true;
            reading->has_helo = true;
        } else if (!is_other && !memchr(word.bytes, '=', word.size)) {
            read_connection_word(reading, word);
        }
    }
}

/* Is the comment about something else than the connection? */
static bool is_other_comment(struct text comment)
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

/* Any comment, wherever it stands. */
static void read_comment(struct reading *reading, struct text comment)
{
    struct text rest = comment;
    struct text word;
    bool is_sender_next = false;
    if (is_other_comment(comment) || text_has_any_case(comment, "TLS") ||
        text_has_any_case(comment, "cipher="))
        read_tls(reading, comment);
    read_encrypted(reading, comment);
    read_authentication(reading, comment);
    while (take_word(&rest, &word)) {
        struct text plain = bare(word);
        if (is_sender_next && !reading->hop->envelope_from)
            reading->hop->envelope_from = keep(reading, plain);
        is_sender_next =
            text_is_any_case(plain, "envelope-from") || text_is_any_case(plain, "envelope-sender");
    }
}

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

/* The n-th token of a clause that is no comment; NULL when there is none. */
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
    return token ? keep(reading, bare(token->text)) : NULL;
}

/* All of its words, with blanks between them. */
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
    char *copy = arena_copy(reading->arena, bare(buf_text(&words)));
    utf8_repair(copy);
    return *copy ? copy : NULL;
}

static void read_from(struct reading *reading)
{
    struct hop *hop = reading->hop;
    const struct clause *clause = &reading->clause[CLAUSE_FROM];
    const struct token *first = word_of(reading, CLAUSE_FROM, 0);

    for (size_t i = 0; i < clause->count; i++) {
        const struct token *token = &reading->token[clause->first + i];
        if (token->kind == TOKEN_COMMENT)
            read_connection(reading, token->text, is_other_comment(token->text));
        else if (token->kind == TOKEN_BRACKET && (token != first || is_address(token->text)))
            set_from_ip(reading, token->text);
    }
    if (!first)
        return;
    const struct token *second = word_of(reading, CLAUSE_FROM, 1);
    if (text_is_any_case(first->text, "mail") && second && text_is_any_case(second->text, "pickup"))
        hop->from = "mail pickup service";
    else if (is_address(first->text)) {
        struct in6_addr address;
        set_from_ip(reading, first->text);
        if (read_address(first->text, &address))
            hop->from = keep_address(reading, &address);
    } else
        hop->from = keep(reading, bare(first->text));
    if (first->kind == TOKEN_BRACKET || !hop->from || is_address(first->text) ||
        strchr(hop->from, ' '))
        return;
    if (reading->has_helo)
        set_reverse(reading, first->text);
    else
        hop->helo = hop->from;
}

/* "(from joe@host)", "(joe@localhost)": sendmail took it from somebody on its own host. */
static void read_submission(struct reading *reading)
{
    const struct token *token = &reading->token[0];
    if (reading->clause[CLAUSE_FROM].is_open || reading->count == 0 || token->kind != TOKEN_COMMENT)
        return;
    struct text text = text_trim(token->text);
    if (text_begins_any_case(text, "from "))
        text = text_trim(text_skip(text, 5));
    if (text.size > 0 && memchr(text.bytes, '@', text.size) && !memchr(text.bytes, ' ', text.size))
        reading->hop->from = keep(reading, text);
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
        if (may_be && !hop->by_ip && read_address(inner, &address))
            hop->by_ip = keep_address(reading, &address);
        else if (token->kind == TOKEN_COMMENT && !hop->software && !is_other_comment(token->text))
            hop->software = keep(reading, token->text);
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

static const char *protocol_of(struct text word)
{
    const char *slash = word.size > 0 ? memchr(word.bytes, '/', word.size) : NULL;
    if (slash)
        word.size = (size_t)(slash - word.bytes);
    for (size_t i = 0; i < countof(protocols); i++)
        if (text_is_any_case(word, protocols[i]))
            return protocols[i];
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
        set_cipher(reading, rest);
    }
    /* Exim's "with esmtps (TLS1.3) tls TLS_AES_256_GCM_SHA384" */
    for (size_t i = 1; (token = word_of(reading, CLAUSE_WITH, i)); i++) {
        const struct token *next = word_of(reading, CLAUSE_WITH, i + 1);
        if (!text_is_any_case(token->text, "tls"))
            continue;
        hop->tls = HOP_TLS_YES;
        if (next && is_cipher(next->text))
            set_cipher(reading, next->text);
    }
}

/* A second "from <addr>" behind the recipient is the envelope's sender. */
static void read_for(struct reading *reading)
{
    const struct token *token;
    reading->hop->recipient = text_in(reading, CLAUSE_FOR);
    for (size_t i = 1; (token = word_of(reading, CLAUSE_FOR, i)); i++) {
        const struct token *next = word_of(reading, CLAUSE_FOR, i + 1);
        if (text_is_any_case(token->text, "from") && next && next->kind == TOKEN_ANGLE &&
            !reading->hop->envelope_from)
            reading->hop->envelope_from = keep(reading, next->text);
    }
}

/* ---- conclusions ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text);
    return size >= strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

/* By what the protocol's name says (RFC 3848). */
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
    if (!hop->from || strcasecmp(hop->from, "localhost") == 0 ||
        strncmp(hop->from, "127.", 4) == 0 || strchr(hop->from, ' ') /* mail pickup service */)
        return true;
    return hop->from_ip && !hop->is_from_public;
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
    hop->date_raw = keep(reading, text);
    return true;
}

/* PowerMTA writes the envelope's sender behind the date. */
static void read_comments_behind(struct text date, struct reading *reading)
{
    const char *open;
    while (date.size > 0 && (open = memchr(date.bytes, '(', date.size))) {
        date = text_skip(date, (size_t)(open - date.bytes));
        size_t bytes = enclosed_bytes(date, '(', ')');
        if (bytes == 0)
            return;
        read_comment(reading, (struct text){ date.bytes + 1, bytes - 2 });
        date = text_skip(date, bytes);
    }
}

/* A comment behind it may be longer than dates are. */
static bool try_date_before_comment(struct text text, struct reading *reading)
{
    const char *comment = memchr(text.bytes, '(', text.size);
    return comment &&
           try_date((struct text){ text.bytes, (size_t)(comment - text.bytes) }, reading);
}

/* Without a semicolon: from the right, the word that a date begins with. */
static size_t date_without_mark(struct text text)
{
    size_t first = text.size > DATE_MAX_BYTES ? text.size - DATE_MAX_BYTES : 0;
    for (size_t at = text.size; at > first; at--) {
        struct text rest = text_skip(text, at - 1);
        struct text word;
        if (at > 1 && !is_blank(text.bytes[at - 2]))
            continue;
        take_word(&rest, &word);
        bool is_iso = word.size >= 10 && ascii_is_digit((unsigned char)word.bytes[0]) &&
                      word.bytes[4] == '-' && word.bytes[7] == '-';
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
            reading->hop->date_raw = keep(reading, date);
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
    tokenize(text, reading);
    find_clauses(reading);
    for (size_t i = 0; i < reading->count; i++)
        if (reading->token[i].kind == TOKEN_COMMENT)
            read_comment(reading, reading->token[i].text);
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
