/*
 * svc-chat/chatplatform-text-sanitize/chatplatform-text-sanitize.c - makes untrusted text safe for
 * its target. A pipeline of steps; the request or the target's preset switches each step.
 */
#include <string.h>
#include <unicase.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "base/writing/chars.h"
#include "base/writing/unseen.h"
#include "sanitizer.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"
#include "writing/cut.h"
#include "writing/tokens.h"

enum {
    MODIFIER_GRAVE = 0x02CB, /* looks like a backtick */
    REWRITE_PASSES = 8,
};

/* ---- targets ---- */

static target_rules channel_rules, code_block_rules, inline_code_rules, no_rules;
static target_rules user_name_rules, webhook_name_rules;

/*
 * Limits: the platform's documentation, "Create Message", "Embed Limits", "Usernames and
 * Nicknames", "Modify Webhook", "Channel Object", as of 2026-08-06. Limits for code leave space for
 * the fence.
 */
/* clang-format off */
static const struct target targets[] = {
    { "message",           2000, 1, MARKDOWN_ESCAPE, MENTIONS_ZERO_WIDTH, 3,  false, true,  no_rules },
    { "embed_title",        256, 1, MARKDOWN_ESCAPE, MENTIONS_ZERO_WIDTH, 0,  false, true,  no_rules },
    { "embed_description", 4096, 1, MARKDOWN_ESCAPE, MENTIONS_ZERO_WIDTH, 3,  false, true,  no_rules },
    { "field_name",         256, 1, MARKDOWN_ESCAPE, MENTIONS_ZERO_WIDTH, 0,  false, true,  no_rules },
    { "field_value",       1024, 1, MARKDOWN_ESCAPE, MENTIONS_ZERO_WIDTH, 3,  false, true,  no_rules },
    { "footer",            2048, 1, MARKDOWN_KEEP,   MENTIONS_ZERO_WIDTH, 3,  false, true,  no_rules },
    { "code_block",        1990, 1, MARKDOWN_KEEP,   MENTIONS_ZERO_WIDTH, 10, false, false, code_block_rules },
    { "inline_code",       1900, 1, MARKDOWN_KEEP,   MENTIONS_ZERO_WIDTH, 0,  false, true,  inline_code_rules },
    { "username",            32, 2, MARKDOWN_KEEP,   MENTIONS_REMOVE,     0,  true,  true,  user_name_rules },
    { "nickname",            32, 1, MARKDOWN_KEEP,   MENTIONS_REMOVE,     0,  true,  true,  no_rules },
    { "webhook_username",    80, 1, MARKDOWN_KEEP,   MENTIONS_REMOVE,     0,  true,  true,  webhook_name_rules },
    { "channel_name",       100, 1, MARKDOWN_KEEP,   MENTIONS_REMOVE,     0,  true,  true,  channel_rules },
    { "thread_name",        100, 1, MARKDOWN_KEEP,   MENTIONS_REMOVE,     0,  true,  true,  no_rules },
    { "log",              10000, 1, MARKDOWN_KEEP,   MENTIONS_KEEP,       10, false, false, no_rules },
    { "plain",            10000, 1, MARKDOWN_STRIP,  MENTIONS_TEXT,       3,  false, true,  no_rules },
};
/* clang-format on */

/* ---- switches ---- */

static bool is_set(const struct sanitizer *sanitizer, const char *option, const char *value)
{
    return strcmp(arg_str(sanitizer->job, option), value) == 0;
}

static const struct escape_flag {
    const char *name;
    unsigned flag;
} escape_flags[] = {
    { "escape", ESCAPE_ESCAPE },
    { "inline_code", ESCAPE_INLINE_CODE },
    { "code_block", ESCAPE_CODE_BLOCK },
    { "italic", ESCAPE_ITALIC },
    { "bold", ESCAPE_BOLD },
    { "underline", ESCAPE_UNDERLINE },
    { "strikethrough", ESCAPE_STRIKETHROUGH },
    { "spoiler", ESCAPE_SPOILER },
    { "heading", ESCAPE_HEADING },
    { "bulleted_list", ESCAPE_BULLETED_LIST },
    { "numbered_list", ESCAPE_NUMBERED_LIST },
    { "masked_link", ESCAPE_MASKED_LINK },
    { "quote", ESCAPE_QUOTE },
    { "block_quote", ESCAPE_BLOCK_QUOTE },
    { "code_block_content", ESCAPE_CODE_BLOCK_CONTENT },
    { "inline_code_content", ESCAPE_INLINE_CODE_CONTENT },
};

/* A word, or an object that turns kinds of escapes off. */
static void read_markdown(struct sanitizer *sanitizer)
{
    const cJSON *given = arg_any(sanitizer->job, "markdown");
    const cJSON *flag;

    sanitizer->markdown = sanitizer->target->markdown;
    sanitizer->escapes = ESCAPE_ALL;
    if (!given)
        return;
    const char *word = json_text_of(given).bytes;
    if ((given->type & 0xFF) == cJSON_String) {
        sanitizer->markdown = strcmp(word, "escape") == 0 ? MARKDOWN_ESCAPE
                              : strcmp(word, "keep") == 0 ? MARKDOWN_KEEP
                                                          : MARKDOWN_STRIP;
        return;
    }
    sanitizer->markdown = MARKDOWN_ESCAPE;
    cJSON_ArrayForEach(flag, given) {
        const struct escape_flag *row = TABLE_FIND(escape_flags, flag->string);
        if (row && (flag->type & 0xFF) == cJSON_False)
            sanitizer->escapes &= ~row->flag;
    }
}

static void read_mentions(struct sanitizer *sanitizer)
{
    static const char *const words[] = { "zero_width", "text", "remove", "keep" };
    static const struct kind {
        const char *name;
        enum token_kind kind;
        bool by_default;
    } kinds[] = {
        { "everyone", TOKEN_EVERYONE, true },
        { "here", TOKEN_HERE, true },
        { "users", TOKEN_USER, true },
        { "roles", TOKEN_ROLE, true },
        { "channels", TOKEN_CHANNEL, false },
        { "commands", TOKEN_COMMAND, false },
        { "navigation", TOKEN_NAVIGATION, false },
    };
    const char *word = arg_str(sanitizer->job, "mentions");
    const cJSON *types = arg_any(sanitizer->job, "mention_types");
    const cJSON *type;

    sanitizer->mentions.mode = sanitizer->target->mentions;
    for (size_t i = 0; word && i < countof(words); i++)
        if (strcmp(word, words[i]) == 0)
            sanitizer->mentions.mode = (enum mentions)i;
    for (size_t i = 0; !types && i < countof(kinds); i++)
        sanitizer->mentions.kinds[kinds[i].kind] = kinds[i].by_default;
    cJSON_ArrayForEach(type, types)
        sanitizer->mentions.kinds[TABLE_FIND(kinds, json_text_of(type).bytes)->kind] = true;
    sanitizer->mentions.names = arg_any(sanitizer->job, "names");
}

static void read_switches(struct sanitizer *sanitizer)
{
    const struct job *job = sanitizer->job;
    sanitizer->target = TABLE_FIND(targets, arg_str(job, "target"));
    sanitizer->is_log = is_set(sanitizer, "target", "log");
    read_markdown(sanitizer);
    read_mentions(sanitizer);
    sanitizer->max_length = arg_has(job, "max_length") ? (size_t)arg_int(job, "max_length")
                                                       : sanitizer->target->max_length;
}

/* ---- characters ---- */

static void clean_controls(struct sanitizer *sanitizer)
{
    if (sanitizer->is_log)
        sanitizer->changes[CHANGE_CONTROL] += show_controls(&sanitizer->text);
    else if (is_set(sanitizer, "control", "remove"))
        sanitizer->changes[CHANGE_CONTROL] +=
            drop_controls(&sanitizer->text, &sanitizer->changes[CHANGE_ANSI]);
}

static struct unseen drop_unseen(struct sanitizer *sanitizer)
{
    return drop_invisible(&sanitizer->text, is_set(sanitizer, "invisible", "remove"),
                          is_set(sanitizer, "bidi", "remove"));
}

static void clean_invisible(struct sanitizer *sanitizer)
{
    struct unseen count =
        sanitizer->is_log ? show_invisible(&sanitizer->text) : drop_unseen(sanitizer);
    sanitizer->changes[CHANGE_INVISIBLE] += count.invisible;
    sanitizer->changes[CHANGE_BIDI] += count.bidi;
    if (!sanitizer->is_log && is_set(sanitizer, "bidi", "isolate"))
        sanitizer->changes[CHANGE_BIDI] += isolate_lines(&sanitizer->text);
}

static void normalize_text(struct sanitizer *sanitizer)
{
    if (!is_set(sanitizer, "normalize", "none"))
        sanitizer->changes[CHANGE_NORMALIZED] += runes_normalize(
            &sanitizer->text, is_set(sanitizer, "normalize", "nfc") ? FORM_NFC : FORM_NFKC);
    sanitizer->changes[CHANGE_COMBINING] +=
        limit_marks(&sanitizer->text, (size_t)arg_int(sanitizer->job, "combining_limit"));
}

static void clean_confusables(struct sanitizer *sanitizer)
{
    bool replace = is_set(sanitizer, "confusables", "replace");
    if (is_set(sanitizer, "confusables", "keep"))
        return;
    size_t count = find_confusables(&sanitizer->text, replace, sanitizer->confusables,
                                    sanitizer->confusable_ascii, CONFUSABLES_MAX);
    sanitizer->confusable_count = MIN(count, (size_t)CONFUSABLES_MAX);
    if (replace)
        sanitizer->changes[CHANGE_CONFUSABLE] += count;
}

static void clean_ends(struct sanitizer *sanitizer)
{
    const struct job *job = sanitizer->job;
    bool collapses = arg_has(job, "collapse_spaces") ? arg_bool(job, "collapse_spaces")
                                                     : sanitizer->target->collapse_spaces;
    if (collapses)
        sanitizer->changes[CHANGE_WHITESPACE] += collapse_blanks(&sanitizer->text);
    if (sanitizer->target->trims)
        sanitizer->changes[CHANGE_WHITESPACE] += trim(&sanitizer->text);
}

static void clean_blanks(struct sanitizer *sanitizer)
{
    int64_t newlines = arg_has(sanitizer->job, "newlines") ? arg_int(sanitizer->job, "newlines")
                                                           : sanitizer->target->newlines;
    sanitizer->changes[CHANGE_NEWLINE] += limit_newlines(&sanitizer->text, (size_t)newlines);
    clean_ends(sanitizer);
}

static void clean_characters(struct sanitizer *sanitizer)
{
    clean_invisible(sanitizer);
    normalize_text(sanitizer);
    clean_confusables(sanitizer);
    clean_blanks(sanitizer);
}

/* ---- mentions ---- */

/* The token as sent. */
static void add_raw(const struct sanitizer *sanitizer, const struct token *token, cJSON *object,
                    const char *name)
{
    scoped(buf_free) struct buf text = BUF(TEXT_BYTES);
    uint32_t start = sanitizer->text.at[token->start].start;
    runes_print(sanitizer->original.at + start, sanitizer->text.at[token->end - 1].end - start,
                &text);
    json_str(object, name, buf_str(&text));
}

/* The token's position in the text as sent. */
static void add_place(const struct sanitizer *sanitizer, const struct token *token, cJSON *object)
{
    json_int(object, "start", sanitizer->text.at[token->start].start);
    json_int(object, "end", sanitizer->text.at[token->end - 1].end);
}

static void add_mention(struct sanitizer *sanitizer, const struct token *token)
{
    char id[TOKEN_ID_BYTES];
    cJSON *item = json_item(sanitizer->found_mentions);

    token_id(&sanitizer->text, token, id);
    json_str(item, "type", token_kind_name(token->kind));
    json_str(item, "id", id[0] ? id : NULL);
    add_raw(sanitizer, token, item, "raw");
    add_place(sanitizer, token, item);
}

static void add_link(struct sanitizer *sanitizer, const struct token *link)
{
    cJSON *item = json_item(sanitizer->found_urls);
    struct token mention;
    size_t at = link->start;

    add_raw(sanitizer, link, item, "url");
    add_place(sanitizer, link, item);
    while (token_in_link(&sanitizer->text, link, &at, &mention))
        add_mention(sanitizer, &mention);
}

static void list_tokens(struct sanitizer *sanitizer)
{
    scoped(tokens_free) struct tokens tokens = tokens_of(&sanitizer->text);
    for (size_t i = 0; i < tokens.count; i++) {
        const struct token *token = &tokens.at[i];
        if (token_is_mention(token->kind))
            add_mention(sanitizer, token);
        if (token->kind == TOKEN_LINK)
            add_link(sanitizer, token);
    }
}

/* ---- markdown and target rules ---- */

static size_t rewrite_markdown(struct sanitizer *sanitizer)
{
    bool has_switches = json_is(arg_any(sanitizer->job, "markdown"), cJSON_Object);
    size_t count = 0;

    if (sanitizer->markdown == MARKDOWN_STRIP)
        count = strip_markdown(&sanitizer->text);
    else if (sanitizer->markdown == MARKDOWN_ESCAPE)
        count = arg_bool(sanitizer->job, "strict") && !has_switches
                    ? escape_strictly(&sanitizer->text)
                    : escape_markdown(&sanitizer->text, sanitizer->escapes);
    sanitizer->changes[CHANGE_MARKDOWN] += count;
    return count;
}

static void no_rules(struct sanitizer *sanitizer)
{
    (void)sanitizer;
}

/* A fence inside would close the block: separate its backticks. */
static void code_block_rules(struct sanitizer *sanitizer)
{
    scoped(runes_free) struct runes out = { 0 };
    const struct runes *text = &sanitizer->text;
    size_t run = 0;

    for (size_t i = 0; i < text->count; i++) {
        run = text->at[i].code == '`' ? run + 1 : 0;
        if (run == 3) {
            runes_add_code(&out, CHAR_ZWSP, text->at[i]);
            sanitizer->changes[CHANGE_TARGET_RULE]++;
            run = 1;
        }
        runes_add(&out, text->at[i]);
    }
    runes_replace(&sanitizer->text, &out);
}

static void inline_code_rules(struct sanitizer *sanitizer)
{
    for (size_t i = 0; i < sanitizer->text.count; i++) {
        if (sanitizer->text.at[i].code != '`')
            continue;
        sanitizer->text.at[i].code = MODIFIER_GRAVE;
        sanitizer->changes[CHANGE_TARGET_RULE]++;
    }
}

/* What the platform does to a channel name: lowercase, dashes for blanks. Counts changes. */
static size_t write_channel(struct runes *text)
{
    scoped(runes_free) struct runes out = { 0 };
    size_t changed = 0;
    for (size_t i = 0; i < text->count; i++) {
        struct rune rune = text->at[i];
        uint32_t code = char_is_space(rune.code) ? '-' : uc_tolower(rune.code);
        bool stays = char_is_word(code) || code == '-' || code == '_';
        bool repeats = code == '-' && out.count > 0 && out.at[out.count - 1].code == '-';
        changed += code != rune.code || !stays || repeats;
        if (stays && !repeats)
            runes_add_code(&out, code, rune);
    }
    runes_replace(text, &out);
    return changed;
}

/* A character between a letter and its mark, or inside an emoji, may have been removed. */
static void channel_rules(struct sanitizer *sanitizer)
{
    size_t changed = 1;
    for (int pass = 0; pass < REWRITE_PASSES && changed > 0; pass++) {
        changed = write_channel(&sanitizer->text);
        sanitizer->changes[CHANGE_TARGET_RULE] += changed;
        if (changed > 0)
            clean_characters(sanitizer);
    }
}

/* Does the text contain this, in any case? */
static bool has_part(const struct sanitizer *sanitizer, const char *lower)
{
    for (size_t i = 0; i < sanitizer->text.count; i++)
        if (runes_start_loose(sanitizer->text.at + i, sanitizer->text.count - i, lower))
            return true;
    return false;
}

static void forbid_part(struct sanitizer *sanitizer, const char *lower)
{
    if (has_part(sanitizer, lower))
        issues_add(&sanitizer->errors, "text", "name_forbidden",
                   "the platform rejects a name that contains %s", lower);
}

static void user_name_rules(struct sanitizer *sanitizer)
{
    static const char *const parts[] = { "@", "#", ":", "```", "discord" };
    static const char *const names[] = { "everyone", "here" };

    for (size_t i = 0; i < countof(parts); i++)
        forbid_part(sanitizer, parts[i]);
    for (size_t i = 0; i < countof(names); i++)
        if (sanitizer->text.count == strlen(names[i]) && has_part(sanitizer, names[i]))
            issues_add(&sanitizer->errors, "text", "name_forbidden",
                       "the platform reserves the name %s", names[i]);
}

static void webhook_name_rules(struct sanitizer *sanitizer)
{
    forbid_part(sanitizer, "clyde");
    forbid_part(sanitizer, "discord");
}

static void check_length(struct sanitizer *sanitizer)
{
    const struct target *target = sanitizer->target;
    size_t length = sanitizer->text.count;

    if (length == 0)
        issues_add(&sanitizer->errors, "text", "empty_after_sanitize",
                   "the sanitized text is empty");
    else if (length < target->min_length)
        issues_add_limit(&sanitizer->errors, "text", "too_short", (int64_t)target->min_length,
                         (int64_t)length, "%s must have at least %zu characters", target->name,
                         target->min_length);
    if (length <= sanitizer->max_length)
        return;
    if (is_set(sanitizer, "truncate", "none")) {
        issues_add_limit(&sanitizer->errors, "text", "too_long", (int64_t)sanitizer->max_length,
                         (int64_t)length, "the text is longer than %zu characters",
                         sanitizer->max_length);
        return;
    }
    issues_add_limit(&sanitizer->warnings, "text", "truncated", (int64_t)sanitizer->max_length,
                     (int64_t)length, "the text was cut to %zu characters", sanitizer->max_length);
    sanitizer->truncated =
        cut(&sanitizer->text, sanitizer->max_length, is_set(sanitizer, "truncate", "ellipsis"));
    sanitizer->changes[CHANGE_TRUNCATED]++;
}

static size_t disarm_text(struct sanitizer *sanitizer)
{
    size_t count = disarm_mentions(&sanitizer->text, &sanitizer->mentions);
    sanitizer->changes[CHANGE_MENTION] += count;
    return count;
}

static size_t rewrite_tokens(struct sanitizer *sanitizer)
{
    size_t links = rewrite_links(&sanitizer->text, arg_str(sanitizer->job, "urls"));
    size_t emoji = rewrite_emoji(&sanitizer->text, arg_str(sanitizer->job, "custom_emoji"));
    sanitizer->changes[CHANGE_URL] += links;
    sanitizer->changes[CHANGE_EMOJI] += emoji;
    return links + emoji;
}

/* The U+200B inserted into mentions must stay. */
static void clean_again(struct sanitizer *sanitizer)
{
    if (sanitizer->mentions.mode == MENTIONS_REMOVE || sanitizer->mentions.mode == MENTIONS_KEEP)
        clean_characters(sanitizer);
    else {
        normalize_text(sanitizer);
        clean_blanks(sanitizer);
    }
}

static bool knows_markdown(const struct sanitizer *sanitizer)
{
    return !sanitizer->is_log && strcmp(sanitizer->target->name, "plain") != 0;
}

/* A removal joins its neighbors, so repeat until nothing more is removed. Escapes are inserted
 * once. */
static void rewrite_text(struct sanitizer *sanitizer)
{
    for (int pass = 0; pass < REWRITE_PASSES; pass++) {
        size_t taken = disarm_text(sanitizer) + rewrite_tokens(sanitizer);
        taken += rewrite_markdown(sanitizer);
        if (taken == 0 || sanitizer->markdown == MARKDOWN_ESCAPE)
            break;
        clean_again(sanitizer);
    }
    if (sanitizer->markdown == MARKDOWN_STRIP && !knows_markdown(sanitizer)) {
        sanitizer->changes[CHANGE_MARKDOWN] += strip_protection(&sanitizer->text);
        clean_again(sanitizer);
    }
    disarm_text(sanitizer);
}

static void run_pipeline(struct sanitizer *sanitizer)
{
    clean_controls(sanitizer);
    clean_characters(sanitizer);
    list_tokens(sanitizer);
    rewrite_text(sanitizer);
    clean_ends(sanitizer);
    sanitizer->target->rules(sanitizer);
    check_length(sanitizer);
}

/* ---- the whole pipeline ---- */

static void sanitizer_free(struct sanitizer *sanitizer)
{
    runes_free(&sanitizer->original);
    runes_free(&sanitizer->text);
    issues_free(&sanitizer->errors);
    issues_free(&sanitizer->warnings);
    json_free(&sanitizer->found_mentions);
    json_free(&sanitizer->found_urls);
}

bool chatplatform_text_sanitize(const struct job *job, cJSON *result, struct err *err)
{
    scoped(sanitizer_free) struct sanitizer sanitizer = {
        .job = job,
        .original = runes_of(arg_text(job, "text")),
        .text = runes_of(arg_text(job, "text")),
        .found_mentions = json_array(),
        .found_urls = json_array(),
    };
    (void)err; /* the contract has checked the request */
    read_switches(&sanitizer);
    run_pipeline(&sanitizer);
    write_result(&sanitizer, result);
    return true;
}
