/* tests/fuzz/svc-ai/ai-text.c - any text as a model's words: clean, bounded,
 * and clean again the same. */
#include <assert.h>

#include "../target.h"
#include "ai-alt-text/wording.h"
#include "base/codec/utf8.h"
#include "facts/clean.h"
#include "facts/slug.h"
#include "facts/words.h"

enum { TEXT_MAX = 16 << 10, CUT_MAX = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text text = { (const char *)bytes, size };
    scoped(buf_free) struct buf once = BUF(5 * TEXT_MAX);
    scoped(buf_free) struct buf twice = BUF(5 * TEXT_MAX);
    scoped(buf_free) struct buf alt = BUF(4 * TEXT_MAX);
    scoped(buf_free) struct buf slug = BUF(SLUG_BYTES);

    if (size > TEXT_MAX || !utf8_is_valid(text))
        return 0;
    clean_text(text, CLEAN_SHOWN | CLEAN_LINE, &once);
    assert(!text_has(buf_text(&once), "![") && !text_has(buf_text(&once), "]("));
    clean_text(buf_text(&once), CLEAN_LINE, &twice);
    assert(text_equals(buf_text(&once), buf_text(&twice)));
    clean_cut(&twice, CUT_MAX, "…");
    assert(utf8_is_valid(buf_text(&twice)) && utf8_length(buf_text(&twice)) <= CUT_MAX);
    wording_alt(text, CUT_MAX, &alt);
    assert(utf8_is_valid(buf_text(&alt)) && utf8_length(buf_text(&alt)) <= CUT_MAX);
    slug_add(text, &slug);
    assert(!slug.full && text_is_made_of(buf_text(&slug), "abcdefghijklmnopqrstuvwxyz0123456789-"));
    assert(words_count(text) <= utf8_length(text));
    return 0;
}
