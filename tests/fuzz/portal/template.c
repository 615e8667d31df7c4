/* tests/fuzz/portal/template.c - in any accepted template, no value breaks out of its place.
 *
 * The values contain what could break out: quotes, angle brackets, a slash, a scheme. The rendered
 * text may only contain them encoded.
 */
#include <assert.h>
#include <string.h>

#include "../target.h"
#include "portal/template/template.h"
#include "text/json.h"

#define HOSTILE "\x01zz\"'<>&/:zz"

enum { OUT_MAX_BYTES = 1 << 20 };

static cJSON *make_model(const char *value)
{
    cJSON *model = json_object();
    json_str(model, "a", value);
    json_str(model, "b", "https://x.test/");
    cJSON *list = json_list(model, "c");
    for (int i = 0; i < 2; i++)
        json_str(json_item(list), "a", value);
    json_bool(model, "d", true);
    return model;
}

static void check_render(enum template_kind kind, struct text source, const cJSON *model)
{
    scoped(templates_free) struct templates *templates = templates_new(kind);
    scoped(buf_free) struct buf out = BUF(OUT_MAX_BYTES);
    struct err err = { 0 };
    if (!templates_add(templates, "t", source, &err) ||
        !templates_add(templates, "p", TEXT("{{a}}<br>"), &err) ||
        !templates_link(templates, &err)) {
        assert(err.kind == ERR_INVALID_VALUE && err.message[0]);
        return;
    }
    if (!template_render(templates, "t", model, &out, &err)) {
        assert(err.kind == ERR_INTERNAL && out.size == 0);
        return;
    }
    assert(kind == TEMPLATE_TEXT || memmem(source.bytes, source.size, "\x01", 1) ||
           !memmem(out.bytes ? out.bytes : "", out.size, HOSTILE, strlen(HOSTILE)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text source = { (const char *)bytes, size };
    scoped(json_free) cJSON *hostile = make_model(HOSTILE);
    scoped(json_free) cJSON *harmless = make_model("7");
    if (size > TEMPLATE_MAX_BYTES)
        return 0;
    check_render(TEMPLATE_HTML, source, hostile);
    check_render(TEMPLATE_HTML, source, harmless);
    check_render(TEMPLATE_TEXT, source, harmless);
    return 0;
}
