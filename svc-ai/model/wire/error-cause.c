/* svc-ai/model/wire/error-cause.c - why a provider rejects a request. */
#include "model/wire/error-cause.h"

#include "text/json.h"

struct word {
    const char *text;
    enum error_cause cause;
};

#define CODE(cause, text)
#define PHRASE(cause, text)
static const struct word codes[] = {
#undef CODE
#define CODE(cause, text) { text, ERROR_##cause },
#include "error-cause.def"
};

static const struct word phrases[] = {
#undef CODE
#undef PHRASE
#define CODE(cause, text)
#define PHRASE(cause, text) { text, ERROR_##cause },
#include "error-cause.def"
};
#undef CODE
#undef PHRASE

static enum error_cause cause_of_code(const cJSON *tree)
{
    static const char *const pointers[] = { "/error/code", "/error/type", "/error/status", "/code",
                                            "/type" };
    for (size_t i = 0; i < countof(pointers); i++)
        for (size_t k = 0; k < countof(codes); k++)
            if (text_is_any_case(json_text_of(json_at(tree, pointers[i])), codes[k].text))
                return codes[k].cause;
    return ERROR_OTHER;
}

static enum error_cause cause_of_message(const cJSON *tree, struct text request)
{
    static const char *const pointers[] = { "/error/message", "/message", "/error", "/detail" };
    for (size_t i = 0; i < countof(pointers); i++)
        for (size_t k = 0; k < countof(phrases); k++)
            if (text_has_any_case(json_text_of(json_at(tree, pointers[i])), phrases[k].text) &&
                !text_has_any_case(request, phrases[k].text))
                return phrases[k].cause;
    return ERROR_OTHER;
}

/* A firewall may answer 403 with a page because of the text; a provider's 401 to 404 is JSON. */
static enum error_cause cause_of_status(int status, const cJSON *tree)
{
    bool is_account = status == 401 || status == 402 || (tree && status == 403);
    return is_account ? ERROR_ACCOUNT : status == 413 ? ERROR_INPUT : ERROR_OTHER;
}

enum error_cause error_cause(int status, struct text body, struct text request)
{
    scoped(json_free) cJSON *tree = NULL;
    if (!json_parse(text_trim(body), JSON_DEPTH, &tree, NULL))
        return cause_of_status(status, NULL);
    enum error_cause cause = cause_of_code(tree);
    if (cause == ERROR_OTHER)
        cause = cause_of_message(tree, request);
    return cause == ERROR_OTHER ? cause_of_status(status, tree) : cause;
}
