/* svc-ai/ai-image-generate/blocked-subjects.c - reject prompts with blocked subjects. */
#include "ai-image-generate/blocked-subjects.h"

#include <string.h>
#include <unicase.h>
#include <uninorm.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/writing/chars.h"
#include "base/writing/runes.h"
#include "base/writing/unseen.h"
#include "facts/pattern-set.h"

static const char *const young[] = {
#define YOUNG(word) word,
#include "ai-image-generate/blocked-subjects.def"
};
static const char *const sexual[] = {
#define SEXUAL(word) word,
#include "ai-image-generate/blocked-subjects.def"
};

static const char *const ages[] = {
#define YOUNG_AGE(pattern) pattern,
#include "ai-image-generate/blocked-subjects.def"
};
static const char *const threats[] = {
#define THREAT(pattern) pattern,
#include "ai-image-generate/blocked-subjects.def"
};
static const char *const secrets[] = {
#define SECRET(pattern) pattern,
#include "ai-image-generate/blocked-subjects.def"
};

/* ---- normalize the prompt ---- */

/* The letter that a digit or symbol replaces inside a word. */
static uint32_t letter_of_sign(uint32_t code)
{
    static const char signs[] = "013457@$!";
    static const char letters[] = "oieastasi";
    const char *at = code < 0x80 && code != 0 ? strchr(signs, (int)code) : NULL;
    return at ? (uint32_t)letters[at - signs] : code;
}

/* Lower case without marks, one blank between words. reads_signs also replaces look-alikes and
 * symbols with their letters, which is wrong for words of other scripts. */
static void fold_prompt(struct text text, bool reads_signs, struct buf *out)
{
    scoped(runes_free) struct runes runes = runes_of(text);
    drop_invisible(&runes, true, true);
    runes_normalize(&runes, FORM_NFKC);
    scoped(buf_free) struct buf whole = BUF(20 * text.size + 64);
    runes_print(runes.at, runes.count, &whole);
    size_t size = 0;
    scoped(mem_free) uint8_t *plain =
        u8_casefold((const uint8_t *)buf_str(&whole), whole.size, NULL, UNINORM_NFD, NULL, &size);
    struct text rest = { (const char *)plain, plain ? size : 0 };
    buf_add_byte(out, ' ');
    for (size_t bytes; rest.size > 0; rest = text_skip(rest, bytes)) {
        uint32_t code = utf8_next(rest, &bytes);
        code = reads_signs ? letter_of_sign(code) : code;
        char looks = reads_signs ? char_lookalike(code) : 0;
        code = looks ? (uint32_t)(looks | 0x20) : code;
        if (code == 0x131)
            code = 'i'; /* dotless */
        if (char_is_mark(code))
            continue;
        if (char_is_word(code))
            utf8_add(out, code);
        else if (out->bytes[out->size - 1] != ' ')
            buf_add_byte(out, ' ');
    }
    buf_add_byte(out, ' ');
}

/* ---- words ---- */

static bool has_word(struct text folded, const char *word)
{
    size_t size = strlen(word);
    bool is_beginning = word[size - 1] == '*';
    scoped(mem_free) char *wanted =
        is_beginning ? str_format(" %.*s", (int)size - 1, word) : str_format(" %s ", word);
    return text_has(folded, wanted);
}

static bool has_one(struct text folded, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (has_word(folded, words[i]))
            return true;
    return false;
}

/* ---- the checks ---- */

/* A prompt, and its words normalized without and with reads_signs. */
struct reading {
    struct text prompt, plain, meant;
};

static bool names_minors(const struct reading *reading)
{
    static struct pattern_set set = PATTERN_SET(ages);
    return has_one(reading->plain, young, countof(young)) ||
           has_one(reading->meant, young, countof(young)) ||
           pattern_set_matches(&set, reading->plain);
}

static bool names_sex(const struct reading *reading)
{
    return has_one(reading->plain, sexual, countof(sexual)) ||
           has_one(reading->meant, sexual, countof(sexual));
}

static bool has_threat(const struct reading *reading)
{
    static struct pattern_set set = PATTERN_SET(threats);
    return pattern_set_matches(&set, reading->plain) || pattern_set_matches(&set, reading->meant);
}

static bool has_secret(const struct reading *reading)
{
    static struct pattern_set set = PATTERN_SET(secrets);
    return pattern_set_matches(&set, reading->prompt);
}

const char *blocked_subject_reason(struct text prompt)
{
    scoped(buf_free) struct buf plain = BUF(80 * prompt.size + 64);
    scoped(buf_free) struct buf meant = BUF(80 * prompt.size + 64);
    fold_prompt(prompt, false, &plain);
    fold_prompt(prompt, true, &meant);
    const struct reading reading = { prompt, buf_text(&plain), buf_text(&meant) };
    return names_minors(&reading) && names_sex(&reading)
               ? "prompt must not combine children with sexual content"
           : has_threat(&reading) ? "prompt must not threaten a person"
           : has_secret(&reading) ? "prompt must not contain a key or token"
                                  : NULL;
}
