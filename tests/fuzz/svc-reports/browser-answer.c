/* tests/fuzz/svc-reports/browser-answer.c - arbitrary bytes as the browser service's answer. The
 * result has its members, and stays small. */
#include "browser/answer.h"

#include <assert.h>

#include "../target.h"
#include "base/buf.h"
#include "base/num.h"
#include "browser/page.h"
#include "text/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { RESULT_BYTES = 64 << 10 }; /* of all texts together */
    struct text answer = { (const char *)bytes, MIN(size, (size_t)ANSWER_BYTES) };
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf text = BUF(2 * ANSWER_BYTES);
    scoped(html_report_free) struct html_report page = HTML_REPORT;
    answer_read(answer, result);
    assert(json_size(result) == 2 && json_size(json_get(result, "screenshot")) <= 1);
    assert(json_text(result, "/browser/status"));
    assert(json_size(json_at(result, "/browser/accessibility/violations")) <= VIOLATIONS_MAX);
    assert(json_print(result, &text));
    assert(text.size <= 2 * size + RESULT_BYTES); /* an escaped byte is longer */
    html_report_begin(&page, "t", "s", "2026-11-21T10:44:00.000Z");
    browser_page(result, &page);
    assert(!page.html.full);
    return 0;
}
