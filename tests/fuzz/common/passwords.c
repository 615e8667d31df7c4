/* tests/fuzz/common/passwords.c - any text has an estimate; its parts cover it without a
 * gap. The text after the first line feed is a user input. */
#include <assert.h>
#include <float.h>
#include <string.h>

#include "../target.h"
#include "base/codec/utf8.h"
#include "text/json.h"
#include "text/passwords/estimate.h"
#include "text/passwords/user-inputs.h"

enum { USER_INPUT_BYTES = 100 };

static size_t read_points(struct text text, uint32_t points[static ESTIMATE_POINTS_MAX])
{
    size_t count = 0;
    size_t bytes;
    for (; text.size > 0 && count < ESTIMATE_POINTS_MAX; text.bytes += bytes, text.size -= bytes)
        points[count++] = utf8_next(text, &bytes);
    return count;
}

static void check(const struct phrase *phrase)
{
    struct estimate estimate = { 0 };
    size_t covered = 0;
    estimate_guesses(phrase, &estimate);
    assert(estimate.guesses >= 1 && estimate.guesses <= DBL_MAX);
    for (size_t i = 0; i < estimate.sequence.count; i++) {
        assert(estimate.sequence.item[i].start == covered);
        assert(estimate.sequence.item[i].guesses >= 1);
        covered += estimate.sequence.item[i].length;
    }
    assert(covered == phrase->length);
    estimate_free(&estimate);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text text = { (const char *)bytes, size };
    scoped(json_free) cJSON *list = json_array();
    scoped(user_inputs_free) struct user_inputs inputs = { 0 };
    uint32_t points[ESTIMATE_POINTS_MAX];

    if (!utf8_is_valid(text))
        return 0;
    const char *line_end = size > 0 ? memchr(text.bytes, '\n', size) : NULL;
    if (line_end) {
        struct text input = { line_end + 1, size - (size_t)(line_end + 1 - text.bytes) };
        text.size = (size_t)(line_end - text.bytes);
        if (input.size <= USER_INPUT_BYTES && !memchr(input.bytes, '\0', input.size))
            json_item_add(list, json_new_text(input));
    }
    user_inputs_read(list, &inputs);
    struct phrase phrase = { .points = points,
                             .length = read_points(text, points),
                             .user_inputs = &inputs.lexicon,
                             .this_year = 2026 };
    check(&phrase);
    return 0;
}
