/*
 * svc-chat/chatplatform-embed-build/build.h - a message being checked and rebuilt: each part reads
 * what the caller gave, notes what is wrong with it, and writes what the platform would make of it.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "findings/subject.h"

/* Limits of the platform: developer documentation, "Embed Limits", "Create Message", "Execute
 * Webhook", "Component Reference", state 2026-08-06. */
enum {
    LIMIT_TITLE = 256,
    LIMIT_DESCRIPTION = 4096,
    LIMIT_FIELDS = 25,
    LIMIT_FIELD_NAME = 256,
    LIMIT_FIELD_VALUE = 1024,
    LIMIT_FOOTER = 2048,
    LIMIT_AUTHOR = 256,
    LIMIT_MEDIA_DESCRIPTION = 4096,
    LIMIT_COLOR = 0xFFFFFF,
    LIMIT_EMBEDS = 10,
    LIMIT_TOTAL = 6000,
    LIMIT_CONTENT = 2000,
    LIMIT_USERNAME = 80,
    LIMIT_THREAD_NAME = 100,
    LIMIT_URL = 2048,
    SHORTENED_LEAST = 32, /* texts are never shortened below this to fit LIMIT_TOTAL */
};

enum {
    FLAG_SUPPRESS_EMBEDS = 1 << 2,
    FLAG_EPHEMERAL = 1 << 6,
    FLAG_SUPPRESS_NOTIFICATIONS = 1 << 12,
    FLAG_IS_VOICE_MESSAGE = 1 << 13,
    FLAG_IS_COMPONENTS_V2 = 1 << 15,
};

struct build {
    struct subject subject;
    cJSON *adjustments;
    bool truncates; /* on_overflow */
    uint64_t seed;  /* of random colours: the same request gets the same */
    int64_t now_ms; /* reference of relative times */
    int64_t flags;
    size_t components;       /* nested ones included */
    struct path embeds_path; /* where the caller's embeds stand, or his only one */
    bool has_embed_list;
};

/* Note something about a place: an error, one about a limit, a warning. */
#define ERROR_AT(build, path, ...) issues_add(&(build)->subject.errors, (path)->text, __VA_ARGS__)
#define LIMIT_AT(build, path, ...) \
    issues_add_limit(&(build)->subject.errors, (path)->text, __VA_ARGS__)
#define WARN_AT(build, path, ...) issues_add(&(build)->subject.warnings, (path)->text, __VA_ARGS__)

/* ---- text.c ---- */

/* A text as the platform keeps it, trimmed, as member `name` of out; too_long or cut when it has
 * more characters than limit. False, with nothing written, for no text. */
bool build_text(struct build *build, const struct path *path, const cJSON *node, size_t limit,
                cJSON *out, const char *name);

/* Note that a text was cut or something dropped. */
void build_adjusted(struct build *build, const char *path, const char *action, int64_t from,
                    int64_t to);

/* Shorten a text member of an object to limit characters. */
void build_shorten(cJSON *object, const char *name, size_t limit);

enum url_schemes {
    URL_WEB = 1,
    URL_ATTACHMENT = 2, /* of an image */
    URL_APP = 4,
    URL_VIDEO = 8, /* with URL_ATTACHMENT: of any kind */
};

/* A URL with one of these schemes, as member `name` of out; never fetched. */
bool build_url(struct build *build, const struct path *path, const cJSON *node, unsigned schemes,
               size_t limit, cJSON *out, const char *name);

/* Characters of a text member; 0 when there is none. */
size_t text_length(const cJSON *object, const char *name);

/* ---- leaves.c ---- */

enum leaf_kind {
    LEAF_TEXT,  /* least to most characters, as it is: a name for programs */
    LEAF_SHOWN, /* the same, for people: blanks around it do not count, truncate may cut it */
    LEAF_BOOL,
    LEAF_INTEGER, /* least to most */
    LEAF_NUMBER,
    LEAF_ID,
    LEAF_EMOJI, /* {id, name, animated} */
};

/* What a member may be; one that is absent or null is so. */
struct leaf {
    const char *name;
    enum leaf_kind kind;
    bool is_required;
    int64_t least;
    int64_t most;
};

/* Note what is wrong with the members of an object, which is build_own()'s when it may be cut. */
#define CHECK_LEAVES(build, path, object, table) \
    check_leaves((build), (path), (object), (table), countof(table))

void check_leaves(struct build *build, const struct path *path, const cJSON *object,
                  const struct leaf *leaves, size_t count);

bool has_member(const cJSON *object, const char *name); /* and it is not null */

/* Is it a list, an object? Else that is noted. */
bool is_list(struct build *build, const struct path *path, const cJSON *node);
bool is_object(struct build *build, const struct path *path, const cJSON *node);

/* A list of ids, none of them twice. */
void check_ids(struct build *build, const struct path *path, const cJSON *ids, size_t most);

/* What was given, the caller's: a copy when texts in it may be cut, else as json_alias() has it. */
cJSON *build_own(const struct build *build, const cJSON *given);

/* ---- parts.c ---- */

/* Polls, stickers, attachments, the reference to another message and the like: check those that are
 * given and add them to the payload. */
void build_parts(struct build *build, const cJSON *given, const char *target, cJSON *payload);

/* Is one of them there that a message may consist of? */
bool parts_have_content(const cJSON *message);

/* With the flag IS_VOICE_MESSAGE. */
void check_voice_message(struct build *build, const cJSON *payload);

/* Has a message that forwards another anything else in it? */
void check_forward(struct build *build, const cJSON *payload);

/* ---- color.c ---- */

enum color_reading { COLOR_NONE, COLOR_PLAIN, COLOR_AMBIGUOUS /* digits that could be decimal */ };

/* Read any of the accepted forms. */
enum color_reading color_read(const cJSON *node, uint64_t seed, uint32_t *color);

/* ---- embed.c ---- */

/* Check one embed and return it as the platform would keep it, the caller's. */
cJSON *build_embed(struct build *build, const struct path *path, const cJSON *given);

/* Is it one of the members that embeds have, or have and ignore? */
bool is_embed_member(const char *name);

/* ---- shrink.c ---- */

/* A text that may be shortened. */
struct candidate {
    cJSON *object;
    const char *name;
    size_t length;
    struct path path;
};

/* Shorten the longest of these until the sum has `excess` less; returns what is left of it. */
size_t shrink(struct build *build, struct candidate *candidates, size_t count, size_t excess);

/* Characters of all texts that the platform counts together; and shorten the longest until they
 * fit: descriptions, values of fields, footers, authors, names of fields; then drop fields. */
size_t embed_length(const cJSON *embed);
void shrink_embeds(struct build *build, cJSON *embeds);

/* ---- components.c ---- */

/* Check the components of a message or modal; returns them as build_own() does. */
cJSON *build_components(struct build *build, const struct path *path, const cJSON *given,
                        bool is_modal);
