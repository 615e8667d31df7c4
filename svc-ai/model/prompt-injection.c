/* svc-ai/model/prompt-injection.c - detect instructions to the model in a text. */
#include "model/prompt-injection.h"

#include <unicase.h>

#include "base/ascii.h"
#include "base/codec/base64.h"
#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/writing/chars.h"
#include "base/writing/runes.h"
#include "base/writing/unseen.h"
#include "facts/pattern-set.h"

enum {
    FOLDED_MAX_BYTES = 1 << 20,
    CODED_MIN_BYTES = 24, /* a shorter run of Base64 digits may be a word */
};

static const char *const patterns[] = {
#define SIGN(pattern) "(?s)" pattern, /* a dot also matches a line feed */
#include "prompt-injection.def"
#undef SIGN
};

static struct pattern_set set = PATTERN_SET(patterns);

/* Keep line feeds: patterns match at the beginning of lines. */
static void add_folded(struct buf *out, uint32_t code)
{
    char lookalike = code >= 0x80 ? char_lookalike(code) : 0;
    char last = out->size ? out->bytes[out->size - 1] : ' ';
    if (code == '\n')
        buf_add_byte(out, '\n');
    else if (char_is_space(code) && last != ' ')
        buf_add_byte(out, ' ');
    else if (lookalike)
        buf_add_byte(out, ascii_lower(lookalike));
    else if (!char_is_space(code))
        utf8_add(out, uc_tolower(code));
}

static void fold_text(struct text text, bool folds_letters, struct buf *out)
{
    struct runes runes = runes_of(text);
    drop_invisible(&runes, true, true);
    runes_normalize(&runes, FORM_NFKC);
    for (size_t i = 0; i < runes.count; i++) {
        if (folds_letters)
            add_folded(out, runes.at[i].code);
        else
            utf8_add(out, uc_tolower(runes.at[i].code));
    }
    runes_free(&runes);
}

/* Check the text unchanged, for scripts whose letters look like others, and folded. */
static bool is_plain_suspicious(struct text text)
{
    for (int folds = 0; folds <= 1; folds++) {
        scoped(buf_free) struct buf folded = BUF(FOLDED_MAX_BYTES);
        fold_text(text, folds, &folded);
        if (pattern_set_matches(&set, buf_text(&folded)))
            return true;
    }
    return false;
}

typedef bool decoder(struct buf *out, struct text text);

static bool is_decoded_suspicious(struct text run, decoder *decode)
{
    scoped(buf_free) struct buf plain = BUF(FOLDED_MAX_BYTES);
    return decode(&plain, run) && utf8_is_valid(buf_text(&plain)) &&
           is_plain_suspicious(buf_text(&plain));
}

static size_t run_of(struct text text, const char *digits)
{
    size_t size = 0;
    while (size < text.size && text_is_made_of((struct text){ text.bytes + size, 1 }, digits))
        size++;
    return size;
}

static bool is_coded_suspicious(struct text text, const char *digits, decoder *decode)
{
    while (text.size > 0) {
        size_t size = run_of(text, digits);
        struct text run = { text.bytes, size };
        if (size >= CODED_MIN_BYTES && is_decoded_suspicious(run, decode))
            return true;
        text = text_skip(text, MAX(size, 1));
    }
    return false;
}

bool prompt_injection_suspected(struct text text)
{
    static const char base64[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_";
    return is_plain_suspicious(text) || is_coded_suspicious(text, base64, base64_decode) ||
           is_coded_suspicious(text, "0123456789abcdefABCDEF", hex_decode);
}
