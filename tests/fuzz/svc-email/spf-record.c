/* tests/fuzz/svc-email/spf-record.c - any SPF record: its terms are parts of it, in order, and an
 * error names one of them; an expanded macro is a name of 253 octets at most, or has one label. */
#include <assert.h>
#include <string.h>

#include "../target.h"
#include "records/spf.h"

enum { NAME_OCTETS = 253, EXPANDED_BYTES = 1 << 20 };

static void check_term(struct text record, const struct spf_term *term)
{
    static const struct spf_sender sender = { { { { 0x20, 1 } } }, "b.example.com", "unknown" };
    scoped(buf_free) struct buf name = BUF(EXPANDED_BYTES);
    scoped(buf_free) struct buf sent = BUF(EXPANDED_BYTES);
    assert(term->text.size > 0 && term->text.bytes >= record.bytes);
    assert(term->text.bytes + term->text.size <= record.bytes + record.size);
    assert(term->spec.size <= term->text.size);
    assert(term->prefix4 <= 32 && term->prefix6 <= 128);
    if (spf_expand(term->spec, "a.b.example.com", NULL, &name))
        assert(name.size <= NAME_OCTETS || !strchr(buf_str(&name), '.'));
    if (spf_expand(term->spec, "a.b.example.com", &sender, &sent))
        assert(sent.size <= NAME_OCTETS || !strchr(buf_str(&sent), '.'));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text text = { (const char *)bytes, size };
    struct spf_record record;
    struct spf_error error;
    if (!spf_is_record(text))
        return 0;
    if (!spf_read(text, &record, &error)) {
        assert(error.why && error.term.size > 0 && error.term.bytes == text.bytes + error.position);
        return 0;
    }
    for (size_t i = 0; i < record.count; i++) {
        check_term(text, &record.term[i]);
        assert(i == 0 || record.term[i].text.bytes > record.term[i - 1].text.bytes);
    }
    spf_record_free(&record);
    return 0;
}
