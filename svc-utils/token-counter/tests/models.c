/* svc-utils/token-counter/tests/models.c - names of models, and checks of models.yaml. */
#include <string.h>

#include "shipped.h"
#include "tool.h"
static const struct name_row {
    const char *name;
    const char *model; /* NULL: unknown */
} name_rows[] = {
    { "gpt-4o", "gpt-4o" },
    { " GPT-4o ", "gpt-4o" },
    { "gpt 4o_mini", "gpt-4o-mini" },
    { "openai/gpt-4o", "gpt-4o" },
    { "openrouter/openai/gpt-4o", "gpt-4o" },
    { "models/gemini-2.5-pro", "gemini-2.5-pro" },
    { "gpt-4o-2024-08-06", "gpt-4o" },
    { "gpt-4o-latest", "gpt-4o" },
    { "claude-3-haiku-20240307", "claude-3-haiku" },
    { "claude-3-haiku@20240307", "claude-3-haiku" },
    { "us.anthropic.claude-3-haiku-20240307-v1:0", "claude-3-haiku" },
    { "amazon.nova-pro-v1:0", "nova-pro" },
    { "claude-sonnet-4.5", "claude-sonnet-4-5" },
    { "claude-4.5-sonnet", "claude-sonnet-4-5" },
    { "claude-4-5-sonnet-20250929", "claude-sonnet-4-5" },
    { "claude-sonnet-3.7", "claude-3-7-sonnet" },
    { "claude-opus-4", "claude-opus-4" },
    { "mistral-large-latest", "mistral-large-2512" },
    { "codestral-latest", "codestral-latest" },
    { "codestral", NULL },
    { "gemini-flash-latest", NULL },
    { "gpt", NULL },
    { "gpt-4o-20240806x", NULL },
    { "gpt-4oo", NULL },
    { "-latest", NULL },
    { "claude-", NULL },
    { "claude-4", NULL },
    { "/", NULL },
    { "us.", NULL },
    { ".", NULL },
    { "-v1:0", NULL },
    { "", NULL },
    { "o3", NULL }, /* its sources disagree */
    { "a-name-that-is-longer-than-any-model's-a-name-that-is-longer-than-any-model's-a-name-that-"
      "is-"
      "longer-than-any-model's-gpt-4o-20240806-latest",
      NULL },
};

static void check_name(void **state)
{
    const struct name_row *row = *state;
    scoped(knowledge_free) struct knowledge *knowledge = load_estimates();
    const struct model *model = models_find(knowledge->models, text_of(row->name));
    assert_string_equal(model ? model->name : "", row->model ? row->model : "");
}

/* "provider tokenizer" of a name without a row; NULL: no kind matches */
static const struct kind_row {
    const char *name;
    const char *want;
} kind_rows[] = {
    { "o3", "OpenAI o200k" },
    { "o4-mini-deep-research", "OpenAI o200k" },
    { "o5", NULL },
    { "o30", NULL },
    { "gpt-4o-audio-preview", "OpenAI o200k" },
    { "gpt-4.5-preview", "OpenAI o200k" },
    { "chatgpt-4o-latest", "OpenAI o200k" },
    { "gpt-oss:20b", "OpenAI o200k" },
    { "gpt-4-32k", "OpenAI cl100k" },
    { "gpt-3.5-turbo-16k", "OpenAI cl100k" },
    { "gpt-35-turbo", "OpenAI cl100k" },
    { "text-embedding-ada-002", "OpenAI cl100k" },
    { "text-davinci-003", NULL },
    { "ft:gpt-4o-mini-2024-07-18:org::id", "OpenAI o200k" },
    { "claude-3-5-sonnet-20241022", "Anthropic claude" },
    { "claude-3.5-sonnet", "Anthropic claude" },
    { "anthropic.claude-3-5-sonnet-20240620-v1:0", "Anthropic claude" },
    { "claude-2.1", "Anthropic claude" },
    { "claude-instant-1.2", "Anthropic claude" },
    { "claude-opus-4-9", "Anthropic claude-4.7" },
    { "claude-haiku-5-1", "Anthropic claude-4.7" },
    { "gemini-1.5-pro", "Google gemini" },
    { "google/gemma-2-9b-it", "Google gemini" },
    { "grok-2-1212", "xAI grok" },
    { "meta-llama/Llama-2-70b-chat-hf", "Meta mistral-32k" },
    { "meta-llama/Meta-Llama-3-8B-Instruct", "Meta llama3" },
    { "llama3.2:1b", "Meta llama3" },
    { "accounts/fireworks/models/llama-v3p1-405b-instruct", "Meta llama3" },
    { "meta.llama3-3-70b-instruct-v1:0", "Meta llama3" },
    { "nvidia/Llama-3.1-Nemotron-70B-Instruct", "NVIDIA llama3" },
    { "llama-3.1-sonar-small-128k-online", "Perplexity llama3" },
    { "mistralai/Mistral-7B-Instruct-v0.3", "Mistral mistral-32k" },
    { "mixtral-8x7b-32768", "Mistral mistral-32k" },
    { "mistral-large-2411", "Mistral mistral-32k" },
    { "pixtral-12b-2409", "Mistral tekken" },
    { "devstral-small-2507", "Mistral tekken" },
    { "deepseek-chat", "DeepSeek deepseek" },
    { "deepseek/deepseek-r1:free", "DeepSeek deepseek" },
    { "deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "DeepSeek llama3" },
    { "deepseek-r1-distill-qwen-32b", "DeepSeek qwen" },
    { "Qwen/Qwen2.5-Coder-32B-Instruct", "Alibaba qwen" },
    { "moonshotai/kimi-k2", "Moonshot llama3" },
    { "zai-org/GLM-4.5", "Z.ai llama3" },
    { "MiniMaxAI/MiniMax-M2", "MiniMax llama3" },
    { "command-r", "Cohere cohere" },
    { "microsoft/phi-4", "Microsoft cl100k" },
    { "whisper-1", NULL },
    { "*", NULL },
    { "[", NULL },
};

static void check_kind(void **state)
{
    const struct kind_row *row = *state;
    scoped(knowledge_free) struct knowledge *knowledge = load_estimates();
    char spelled[MODEL_NAME_BYTES];
    struct model model;
    bool ok = models_guess(knowledge->models, text_of(row->name), spelled, &model);
    assert_int_equal(ok, row->want != NULL);
    if (!ok)
        return;
    scoped(mem_free) char *got =
        str_format("%s %s", model.provider, token_family_name(model.family));
    assert_string_equal(got, row->want);
}

#define SOURCES  "'sources':{'s':{'title':'t','date':'2026-08'}}"
#define A_MODEL  "'m':{'provider':'p','tokenizer':'o200k','input':1,'output':2,'sources':['s']}"
#define DEFAULTS "'default':['m']"

static const struct table_row {
    const char *name;
    const char *table;
    const char *message; /* its beginning; NULL: accepted */
} table_rows[] = {
    { "a small table", "{'as_of':'2026-08'," SOURCES "," DEFAULTS ",'models':{" A_MODEL "}}",
      NULL },
    { "an alias",
      "{'as_of':'2026-08'," SOURCES "," DEFAULTS ",'aliases':{'x':'m'},'models':{" A_MODEL "}}",
      NULL },
    { "nothing", "null", "as_of must be" },
    { "no month", "{" SOURCES "," DEFAULTS ",'models':{" A_MODEL "}}", "as_of must be" },
    { "a day", "{'as_of':'2026-08-01'," SOURCES "," DEFAULTS ",'models':{" A_MODEL "}}",
      "as_of must be" },
    { "no models", "{'as_of':'2026-08'," SOURCES "," DEFAULTS "}", "as_of must be" },
    { "an invalid default",
      "{'as_of':'2026-08'," SOURCES ",'default':['x'],'models':{" A_MODEL "}}",
      "default: x is not a model" },
    { "the end of nothing",
      "{'as_of':'2026-08'," SOURCES "," DEFAULTS ",'deprecated':['x'],'models':{" A_MODEL "}}",
      "deprecated: x is not a model, or listed twice" },
    { "no default", "{'as_of':'2026-08'," SOURCES ",'models':{" A_MODEL "}}",
      "default must name a model" },
    { "an alias of nothing",
      "{'as_of':'2026-08'," SOURCES "," DEFAULTS ",'aliases':{'x':'y'},'models':{" A_MODEL "}}",
      "aliases.x is not a model" },
    { "a kind of no tokenizer",
      "{'as_of':'2026-08'," SOURCES "," DEFAULTS ",'models':{" A_MODEL
      "},'kinds':[{'provider':'p','tokenizer':'x','names':['a*']}]}",
      "kinds: row 1 must have" },
    { "a kind of no names",
      "{'as_of':'2026-08'," SOURCES "," DEFAULTS ",'models':{" A_MODEL
      "},'kinds':[{'provider':'p','tokenizer':'o200k','names':[]}]}",
      "kinds: row 1 must have" },
    { "a kind with invalid names",
      "{'as_of':'2026-08'," SOURCES "," DEFAULTS ",'models':{" A_MODEL
      "},'kinds':[{'provider':'p','tokenizer':'o200k','names':[1]}]}",
      "kinds: row 1 must have" },
    { "an unknown tokenizer",
      "{'as_of':'2026-08'," SOURCES "," DEFAULTS ",'models':{'m':{'provider':'p','tokenizer':'x',"
      "'input':1,'output':2,'sources':['s']}}}",
      "models.m must have" },
    { "a negative price",
      "{'as_of':'2026-08'," SOURCES "," DEFAULTS ",'models':{'m':{'provider':'p',"
      "'tokenizer':'o200k','input':-1,'output':2,'sources':['s']}}}",
      "models.m must have" },
    { "no price",
      "{'as_of':'2026-08'," SOURCES "," DEFAULTS ",'models':{'m':{'provider':'p',"
      "'tokenizer':'o200k','input':1,'sources':['s']}}}",
      "models.m must have" },
    { "no source",
      "{'as_of':'2026-08'," SOURCES "," DEFAULTS ",'models':{'m':{'provider':'p',"
      "'tokenizer':'o200k','input':1,'output':2,'sources':[]}}}",
      "models.m must have" },
    { "half a token of context",
      "{'as_of':'2026-08'," SOURCES "," DEFAULTS ",'models':{'m':{'provider':'p',"
      "'tokenizer':'o200k','input':1,'output':2,'context':0.5,'sources':['s']}}}",
      "models.m: context must be" },
    { "no context at all",
      "{'as_of':'2026-08'," SOURCES "," DEFAULTS ",'models':{'m':{'provider':'p',"
      "'tokenizer':'o200k','input':1,'output':2,'context':0,'sources':['s']}}}",
      "models.m: context must be" },
    { "a source without a date",
      "{'as_of':'2026-08','sources':{'s':{'title':'t'}}," DEFAULTS ",'models':{" A_MODEL "}}",
      "models.m must have" },
};

static void check_table(void **state)
{
    const struct table_row *row = *state;
    scoped(models_free) struct models *models = NULL;
    scoped(buf_free) struct buf quoted = BUF(4096);
    cJSON *document = NULL;
    struct err err = { 0 };
    add_quoted(&quoted, row->table);
    assert_true(json_parse(buf_text(&quoted), JSON_DEPTH, &document, &err));
    assert_int_equal(models_read(document, &models, &err), row->message == NULL);
    if (row->message)
        assert_memory_equal(err.message, row->message, strlen(row->message));
}

/* "Language models of many providers", as the summary says. */
static void the_table_is_large(void **state)
{
    (void)state;
    scoped(knowledge_free) struct knowledge *knowledge = load_estimates();
    assert_in_range(knowledge->models->count, 200, 400);
    assert_int_equal(knowledge->models->default_count, 14);
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(the_table_is_large) };
    return RUN_ROWS(name_rows, check_name) + RUN_ROWS(kind_rows, check_kind) +
           RUN_ROWS(table_rows, check_table) + cmocka_run_group_tests(singles, NULL, NULL);
}
