/* svc-ai/main.c - the daemon of the tools that ask a language model: whom the operator configured,
 * through model/, never otherwise. */
#include <sys/prctl.h>

#include "base/scoped.h"
#include "model/model.h"
#include "net/egress.h"
#include "svc/svc.h"
#include "tools.h"

/* clang-format off */
static const struct tool tools[] = {
    { "ai-alt-text", ai_alt_text, &models_data },
    { "ai-chat", ai_chat, &models_data },
    { "ai-code-review", ai_code_review, &models_data },
    { "ai-content-summarize", ai_content_summarize, &models_data },
    { "ai-extract", ai_extract, &models_data },
    { "ai-image-generate", ai_image_generate, &models_data },
    { "ai-moderation", ai_moderation, &models_data },
    { "ai-seo-generate", ai_seo_generate, &models_data },
    { "ai-translate", ai_translate, &models_data },
};
/* clang-format on */

static const struct outside outside = { .slots = 256,
                                        .niceness = 10,
                                        .open = egress_open,
                                        .close = egress_close,
                                        .stray_count = egress_stray_count };

int main(int argc, char **argv)
{
    prctl(PR_SET_DUMPABLE, 0); /* it holds the providers' keys: no core, whoever would write it */
    return svc_main_outside(argc, argv, "ai", tools, countof(tools), &outside);
}
