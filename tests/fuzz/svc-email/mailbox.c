/* tests/fuzz/svc-email/mailbox.c - any bytes as an address; what is valid reads the same again. */
#include "mailbox/mailbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "target.h"

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void check_valid(const struct mailbox *mailbox)
{
    scoped(mailbox_free) struct mailbox again;
    mailbox_parse(buf_text(&mailbox->normalized), &again);
    check(again.is_valid && again.category <= MAILBOX_DEPRECATED);
    check(text_equals(buf_text(&again.normalized), buf_text(&mailbox->normalized)));
    check(text_equals(buf_text(&again.local), buf_text(&mailbox->local)));
    check(strlen(buf_str(&again.domain)) == again.domain.size);
    check(again.is_quoted == mailbox->is_quoted && !again.has_wrapping);
    check(mailbox->normalized.size <= MAILBOX_OCTETS);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text text = { (const char *)bytes, size };
    scoped(mailbox_free) struct mailbox mailbox;
    mailbox_parse(text, &mailbox);
    check(!mailbox.local.full && !mailbox.domain.full && !mailbox.normalized.full);
    check(utf8_is_valid(buf_text(&mailbox.domain)) && utf8_is_valid(buf_text(&mailbox.local)));
    check((mailbox.category == MAILBOX_VALID) == (mailbox.diagnosis == DIAGNOSIS_valid));
    check(mailbox.position <= size);
    check(!mailbox.is_valid || mailbox.category <= MAILBOX_DEPRECATED);
    if (mailbox.is_valid)
        check_valid(&mailbox);
    return 0;
}
