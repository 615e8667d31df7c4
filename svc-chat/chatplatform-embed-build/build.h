/*
 * svc-chat/chatplatform-embed-build/build.h - validates and builds a message. Each part reads the
 * request, records errors, and writes the member as the platform would store it.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "findings/subject.h"

/*
 * Limits of the platform: developer documentation, "Embed Limits", "Create Message", "Execute
 * Webhook", "Component Reference", as of 2026-08-06.
 */
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
    SHORTENED_LEAST = 32, /* texts are not shortened below this to fit LIMIT_TOTAL */
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
    uint64_t seed;  /* for random colors: equal requests get equal colors */
    int64_t now_ms; /* reference of relative times */
    int64_t flags;
    size_t components;       /* including nested ones */
    struct path embeds_path; /* path of the request's embeds, or of its only embed */
    bool has_embed_list;
};

/* Record an issue at a path: an error, an error about a limit, a warning. */
#define ERROR_AT(build, path, ...) issues_add(&(build)->subject.errors, (path)->text, __VA_ARGS__)
#define LIMIT_AT(build, path, ...) \
    issues_add_limit(&(build)->subject.errors, (path)->text, __VA_ARGS__)
#define WARN_AT(build, path, ...) issues_add(&(build)->subject.warnings, (path)->text, __VA_ARGS__)

/* ---- text.c ---- */

/*
 * Write a text as the platform stores it, trimmed, as member `name` of out. If it has more
 * characters than limit, it is an error, or cut. Without a text, writes nothing and returns false.
 */
bool build_text(struct build *build, const struct path *path, const cJSON *node, size_t limit,
                cJSON *out, const char *name);

/* Record that a text was cut, or that an item was dropped. */
void build_adjusted(struct build *build, const char *path, const char *action, int64_t from,
                    int64_t to);

/* Shorten a text member of an object to limit characters. */
void build_shorten(cJSON *object, const char *name, size_t limit);

enum url_schemes {
    URL_WEB = 1,
    URL_ATTACHMENT = 2, /* images only */
    URL_APP = 4,
    URL_VIDEO = 8, /* with URL_ATTACHMENT: any file type */
};

/* Write a URL with one of these schemes as member `name` of out. It is never fetched. */
bool build_url(struct build *build, const struct path *path, const cJSON *node, unsigned schemes,
               size_t limit, cJSON *out, const char *name);

/* Characters of a text member; 0 if it is absent. */
size_t text_length(const cJSON *object, const char *name);

/* ---- leaves.c ---- */

enum leaf_kind {
    LEAF_TEXT,  /* least to most characters, unchanged: a name for programs */
    LEAF_SHOWN, /* the same for people: outer blanks do not count, and truncate may cut it */
    LEAF_BOOL,
    LEAF_INTEGER, /* least to most */
    LEAF_NUMBER,
    LEAF_ID,
    LEAF_EMOJI, /* {id, name, animated} */
};

/* The type and limits of a member. Absent and null members are valid. */
struct leaf {
    const char *name;
    enum leaf_kind kind;
    bool is_required;
    int64_t least;
    int64_t most;
};

/* Check the members of an object. If texts may be cut, the object must come from build_own(). */
#define CHECK_LEAVES(build, path, object, table) \
    check_leaves((build), (path), (object), (table), countof(table))

void check_leaves(struct build *build, const struct path *path, const cJSON *object,
                  const struct leaf *leaves, size_t count);

bool has_member(const cJSON *object, const char *name); /* and is it not null? */

/* Is it a list, an object? Otherwise an error is recorded. */
bool is_list(struct build *build, const struct path *path, const cJSON *node);
bool is_object(struct build *build, const struct path *path, const cJSON *node);

/* A list of different ids. */
void check_ids(struct build *build, const struct path *path, const cJSON *ids, size_t most);

/* Returns a copy of `given` if texts in it may be cut, else an alias (json_alias()). The caller
 * owns it. */
cJSON *build_own(const struct build *build, const cJSON *given);

/* ---- parts.c ---- */

/*
 * Polls, stickers, attachments, message references and other parts: check those in the request and
 * add them to the payload.
 */
void build_parts(struct build *build, const cJSON *given, const char *target, cJSON *payload);

/* Does the message have a part that is sufficient as its only content? */
bool parts_have_content(const cJSON *message);

/* For messages with the flag IS_VOICE_MESSAGE. */
void check_voice_message(struct build *build, const cJSON *payload);

/* Check that a forward has no other content. */
void check_forward(struct build *build, const cJSON *payload);

/* ---- color.c ---- */

enum color_reading { COLOR_NONE, COLOR_PLAIN, COLOR_AMBIGUOUS /* digits that could be decimal */ };

/* Read any accepted form of a color. */
enum color_reading color_read(const cJSON *node, uint64_t seed, uint32_t *color);

/* ---- embed.c ---- */

/* Check one embed; returns it as the platform would store it, owned by the caller. */
cJSON *build_embed(struct build *build, const struct path *path, const cJSON *given);

/* Is it a member that embeds have, even if the platform ignores it? */
bool is_embed_member(const char *name);

/* ---- shrink.c ---- */

/* A text that can be shortened. */
struct candidate {
    cJSON *object;
    const char *name;
    size_t length;
    struct path path;
};

/* Shorten the longest texts until their sum is `excess` less; returns the remaining excess. */
size_t shrink(struct build *build, struct candidate *candidates, size_t count, size_t excess);

/*
 * embed_length() counts the characters of all texts that share a limit. shrink_embeds() shortens
 * until the limit holds, in this order:
 *
 * 1. descriptions,
 * 2. values of fields, footers, authors, names of fields,
 * 3. then it drops fields.
 *
 * Within one step the longest text is shortened first.
 */
size_t embed_length(const cJSON *embed);
void shrink_embeds(struct build *build, cJSON *embeds);

/* ---- components.c ---- */

/* Check the components of a message or modal; returns them as build_own() does. */
cJSON *build_components(struct build *build, const struct path *path, const cJSON *given,
                        bool is_modal);
