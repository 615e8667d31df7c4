/* svc-chat/chatplatform-embed-build/text.c - checks texts and URLs of a message. */
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/writing/chars.h"
#include "build.h"
#include "text/json.h"
#include "writing/cut.h"

size_t text_length(const cJSON *object, const char *name)
{
    return utf8_length(json_text_of(json_get(object, name)));
}

void build_adjusted(struct build *build, const char *path, const char *action, int64_t from,
                    int64_t to)
{
    cJSON *item = json_item(build->adjustments);
    json_str(item, "path", path);
    json_str(item, "action", action);
    json_int(item, "from", from);
    json_int(item, "to", to);
}

/* ---- texts ---- */

static void cut_text(struct text text, size_t limit, struct buf *out)
{
    scoped(runes_free) struct runes runes = runes_of(text);
    cut(&runes, limit, true);
    runes_print(runes.at, runes.count, out);
}

void build_shorten(cJSON *object, const char *name, size_t limit)
{
    cJSON *member = (cJSON *)(uintptr_t)json_get(object, name); /* this tool owns the object */
    scoped(buf_free) struct buf text = BUF(4 * limit);
    cut_text(json_text_of(member), limit, &text);
    scoped(json_free) cJSON *fresh = json_new_text(buf_text(&text));
    mem_free(&member->valuestring);
    member->valuestring = take(fresh->valuestring);
    member->valueint = fresh->valueint;
}

bool build_text(struct build *build, const struct path *path, const cJSON *node, size_t limit,
                cJSON *out, const char *name)
{
    if (!json_is(node, cJSON_String)) {
        subject_wrong_type(&build->subject, path, "a text");
        return false;
    }
    struct text given = json_text_of(node);
    struct text text = trim_text(given);
    size_t length = utf8_length(text);

    if (text.size < given.size)
        WARN_AT(build, path, "trimmed", "the platform removes leading and trailing spaces");
    json_text_add(out, name, text);
    if (length <= limit)
        return true;
    if (build->truncates) {
        build_shorten(out, name, limit);
        build_adjusted(build, path->text, "truncated", (int64_t)length,
                       (int64_t)text_length(out, name));
    } else {
        LIMIT_AT(build, path, "too_long", (int64_t)limit, (int64_t)length,
                 "must have at most %zu characters; it has %zu", limit, length);
    }
    return true;
}

/* ---- URLs ---- */

static const struct scheme {
    const char *prefix;
    enum url_schemes kind;
} schemes[] = {
    { "https://", URL_WEB },
    { "http://", URL_WEB },
    { "attachment://", URL_ATTACHMENT },
    { "discord://", URL_APP },
};

static const struct scheme *scheme_of(const char *url)
{
    for (size_t i = 0; i < countof(schemes); i++)
        if (strncasecmp(url, schemes[i].prefix, strlen(schemes[i].prefix)) == 0)
            return &schemes[i];
    return NULL;
}

/* Another scheme: a letter, more characters, then a colon (RFC 3986, 3.1). */
static bool has_other_scheme(const char *url)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char more[] = ASCII_ALNUM "+-.";
    return strspn(url, letters) > 0 && url[strspn(url, more)] == ':';
}

static bool has_gap(struct text text)
{
    while (text.size > 0) {
        size_t bytes;
        uint32_t code = utf8_next(text, &bytes);
        if (char_is_space(code) || char_is_control(code))
            return true;
        text = (struct text){ text.bytes + bytes, text.size - bytes };
    }
    return false;
}

static void check_attachment(struct build *build, const struct path *path, const char *name,
                             bool is_image)
{
    static const char allowed[] = ASCII_ALNUM "._-";
    static const char *const extensions[] = { "jpg", "jpeg", "png", "webp", "gif" };
    size_t length = strlen(name);
    const char *dot = strrchr(name, '.');

    if (length < 1 || length > 255 || strspn(name, allowed) != length) {
        ERROR_AT(build, path, "invalid_url",
                 "the attachment's name must have 1 to 255 letters, digits, dots, dashes and "
                 "underscores");
        return;
    }
    if (!is_image)
        return;
    for (size_t i = 0; dot && i < countof(extensions); i++)
        if (strcasecmp(dot + 1, extensions[i]) == 0)
            return;
    ERROR_AT(build, path, "attachment_extension",
             "the attachment must be a jpg, jpeg, png, webp or gif");
}

static bool is_cdn(const char *host)
{
    return strncasecmp(host, "cdn.discordapp.com/", 19) == 0 ||
           strncasecmp(host, "media.discordapp.net/", 21) == 0;
}

static void check_web(struct build *build, const struct path *path, const char *authority)
{
    size_t size = strcspn(authority, "/?#");
    const char *at = memrchr(authority, '@', size);
    const char *host = at ? at + 1 : authority;
    size_t host_size = size - (size_t)(host - authority);

    if (host_size == 0 || *host == ':' || *host == '.')
        ERROR_AT(build, path, "invalid_url", "the URL must name a host");
    if (at)
        WARN_AT(build, path, "credentials_in_url",
                "everyone can see the user and password in this URL");
    if (is_cdn(authority) && (strstr(authority, "?ex=") || strstr(authority, "&ex=")))
        WARN_AT(build, path, "expiring_cdn_url", "this attachment's URL expires after about a day");
}

static void check_url(struct build *build, const struct path *path, struct text text,
                      unsigned allowed)
{
    const struct scheme *scheme = scheme_of(text.bytes);

    if (scheme && !(scheme->kind & allowed))
        scheme = NULL;
    else if (!scheme && !has_other_scheme(text.bytes)) {
        ERROR_AT(build, path, "invalid_url", "must be a complete URL");
        return;
    }
    if (!scheme) {
        ERROR_AT(build, path, "url_scheme", "must begin with http:// or https://%s%s",
                 allowed & URL_ATTACHMENT ? " or attachment://" : "",
                 allowed & URL_APP ? " or discord://" : "");
        return;
    }
    const char *rest = text.bytes + strlen(scheme->prefix);
    if (has_gap(text))
        ERROR_AT(build, path, "invalid_url", "must not contain spaces or control characters");
    else if (scheme->kind == URL_ATTACHMENT)
        check_attachment(build, path, rest, !(allowed & URL_VIDEO));
    else if (scheme->kind == URL_WEB)
        check_web(build, path, rest);
}

bool build_url(struct build *build, const struct path *path, const cJSON *node, unsigned allowed,
               size_t limit, cJSON *out, const char *name)
{
    if (!json_is(node, cJSON_String)) {
        subject_wrong_type(&build->subject, path, "a text");
        return false;
    }
    struct text text = trim_text(json_text_of(node));
    scoped(mem_free) char *url = mem_dup(text.bytes, text.size);
    size_t length = utf8_length(text);

    json_text_add(out, name, text);
    if (length > limit)
        LIMIT_AT(build, path, "too_long", (int64_t)limit, (int64_t)length,
                 "a URL must have at most %zu characters; it has %zu", limit, length);
    check_url(build, path, (struct text){ url, text.size }, allowed);
    return true;
}
