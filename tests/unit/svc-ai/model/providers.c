/* tests/unit/svc-ai/model/providers.c - the operator's list of providers is read strictly. */
#include "model/providers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

#define ONE "providers: [{name: a, type: openai, base_url: 'http://x:1/v1', model: m"

static const struct row {
    const char *name;
    const char *file;
    const char *want; /* a part of the error; NULL: valid */
} rows[] = {
    { "one", ONE "}]", NULL },
    { "a price", ONE ", price: {input_per_1m: 3, output_per_1m: 15, image: 0.04, currency: USD}}]",
      NULL },
    { "a price without a currency", ONE ", price: {input_per_1m: 3}}]", "currency must be" },
    { "a currency in small letters", ONE ", price: {currency: usd}}]", "currency must be" },
    { "a price below 0", ONE ", price: {input_per_1m: -1, currency: USD}}]",
      "input_per_1m must be 0 to" },
    { "a price that is a text", ONE ", price: {image: free, currency: USD}}]",
      "image must be 0 to" },
    { "a budget", ONE ", price: {input_per_1m: 3, currency: USD}, daily_budget: 0.5}]", NULL },
    { "a budget without a price", ONE ", daily_budget: 5}]", "daily_budget must be above 0" },
    { "a budget of nothing", ONE ", price: {currency: USD}, daily_budget: 0}]",
      "daily_budget must be above 0" },
    { "a budget that is a text", ONE ", price: {currency: USD}, daily_budget: much}]",
      "daily_budget must be 0 to" },
    { "two currencies",
      ONE ", price: {currency: USD}}, {name: b, type: openai, base_url: 'http://x', model: m, "
          "price: {currency: EUR}}]",
      "b: currency must be the same" },
    { "one currency, and one without a price",
      ONE "}, {name: b, type: openai, base_url: 'http://x', model: m, price: {currency: EUR}}, "
          "{name: c, type: openai, base_url: 'http://x', model: m, price: {currency: EUR}}]",
      NULL },
    { "an unknown price", ONE ", price: {cached: 1, currency: USD}}]", "cached is not a known" },
    { "none", "providers: []", NULL },
    { "all keys",
      ONE
      ", api_key_file: /dev/null/x, models: {ai-chat: n}, vision_model: v, moderation_model: w, "
      "image_model: i, structured: prompt, max_output_tokens: 100, connect_timeout_ms: 1000, "
      "timeout_ms: 1000, max_concurrency: 3, tools: [all]}]\ndeadline_ms: 9000\nmax_calls: 2\n"
      "cooldown_ms: 0\ntools: {ai-chat: {timeout_ms: 500, deadline_ms: 2000}}",
      NULL },
    { "nothing", "", "must be a mapping" },
    { "no YAML", "{", "line" },
    { "another list", "[1]", "must be a mapping" },
    { "no list", "{}", "providers must be a list" },
    { "an unknown key", ONE ", modell: m}]", "a provider: modell is not a known key" },
    { "an unknown key on top", "providers: []\ndaily_limit: 3", "daily_limit is not a known key" },
    { "a name twice", ONE "}, {name: a, type: openai, base_url: 'http://x', model: m}]",
      "name is a duplicate" },
    { "a name that is a sentence", "providers: [{name: 'a b'}]", "name must have" },
    { "no such form", "providers: [{name: a, type: gemini}]", "a: type must be openai or" },
    { "no URL", "providers: [{name: a, type: openai, model: m}]", "base_url must be a string" },
    { "another scheme", "providers: [{name: a, type: openai, base_url: 'ftp://x', model: m}]",
      "base_url must begin with" },
    { "a key in the URL",
      "providers: [{name: a, type: openai, base_url: 'http://sk:secret@x', model: m}]",
      "base_url must begin with" },
    { "a query", "providers: [{name: a, type: openai, base_url: 'http://x/?k=secret', model: m}]",
      "base_url must begin with" },
    { "no model", "providers: [{name: a, type: openai, base_url: 'http://x'}]",
      "model must be a string" },
    { "what the form cannot",
      "providers: [{name: a, type: anthropic, base_url: 'http://x', model: m, image_model: i}]",
      "has neither" },
    { "a number out of range", ONE ", timeout_ms: 1}]", "timeout_ms must be 100 to" },
    { "no number", ONE ", timeout_ms: soon}]", "timeout_ms must be 100 to" },
    { "no such beginning", ONE ", structured: yaml}]", "structured must be" },
    { "tools that are a word", ONE ", tools: all}]", "tools must be a list" },
    { "a limit that there is not", "providers: []\ntools: {ai-chat: {model: m}}",
      "ai-chat: model is not a known key" },
};

static void write_file(char *path, const char *content)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), (ssize_t)strlen(content));
    close(fd);
}

static void check(void **state)
{
    const struct row *row = *state;
    char path[] = "/tmp/tollgate-providers-XXXXXX";
    scoped(providers_free) struct providers providers = { 0 };
    struct err err = { 0 };
    write_file(path, row->file);
    bool ok = providers_load(path, &providers, &err);
    unlink(path);
    assert_string_equal(ok                                                 ? ""
                        : strstr(err.message, row->want ? row->want : "?") ? ""
                                                                           : err.message,
                        "");
    assert_int_equal(ok, row->want == NULL);
    assert_null(strstr(err.message, "secret"));
}

/* Millionths: 3 USD for a million tokens are 3 for each. */
static void costs_are_exact(void **state)
{
    const struct provider provider = { .price = { .input = 3, .output = 0.15, .image = 40000 } };
    (void)state;
    assert_int_equal(provider_cost_micros(&provider, &(struct usage){ 1000, 100, 0 }), 3015);
    assert_int_equal(provider_cost_micros(&provider, &(struct usage){ 1, 3, 0 }), 3);
    assert_int_equal(provider_cost_micros(&provider, &(struct usage){ -1, -1, 2 }), 80000);
    assert_int_equal(
        provider_cost_micros(&(struct provider){ 0 }, &(struct usage){ 1000, 1000, 1 }), 0);
}

static void load(const char *content, struct providers *providers)
{
    char path[] = "/tmp/tollgate-providers-XXXXXX";
    struct err err = { 0 };
    write_file(path, content);
    if (!providers_load(path, providers, &err))
        fail_msg("%s", err.message);
    unlink(path);
}

/* A reload must not be a way to spend more. */
static void budgets_outlive_a_reload(void **state)
{
    static const char priced[] = ONE ", price: {currency: USD}, daily_budget: 1}]";
    static const char other_name[] = "providers: [{name: b, type: openai, base_url: 'http://x', "
                                     "model: m, price: {currency: USD}, daily_budget: 1}]";
    static const char other_currency[] = ONE ", price: {currency: EUR}, daily_budget: 1}]";
    struct {
        const char *file;
        bool inherits;
    } next[] = {
        { priced, true }, { other_name, false }, { other_currency, false }, { ONE "}]", false }
    };
    (void)state;
    for (size_t i = 0; i < countof(next); i++) {
        scoped(providers_free) struct providers before = { 0 };
        scoped(providers_free) struct providers after = { 0 };
        load(priced, &before);
        load(next[i].file, &after);
        providers_inherit(&after, &before);
        assert_int_equal(before.item[0].budget == after.item[0].budget, next[i].inherits);
    }
}

static void what_is_missing_is_named(void **state)
{
    scoped(providers_free) struct providers none = { 0 };
    (void)state;
    assert_true(providers_load("", &none, NULL));
    assert_string_equal(none.lack, "no language model is available: ai.providers_file is not set");
    assert_int_equal(none.count, 0);
}

static void load_with_key(const char *key, struct providers *providers)
{
    char key_path[] = "/tmp/tollgate-key-XXXXXX";
    char path[] = "/tmp/tollgate-providers-XXXXXX";
    write_file(key_path, key);
    scoped(mem_free) char *file = str_format(ONE ", api_key_file: %s}]", key_path);
    write_file(path, file);
    struct err err = { 0 };
    if (!providers_load(path, providers, &err))
        fail_msg("%s", err.message);
    unlink(path);
    unlink(key_path);
}

/* A key is one word: anything after it would become another header line. */
static void keys_are_words(void **state)
{
    static const char *const bad[] = { "", "\n", "a b", "a\nX-Other: b", "k\xC3\xA4y" };
    (void)state;
    scoped(providers_free) struct providers good = { 0 };
    load_with_key("sk-1\n", &good);
    assert_int_equal(good.count, 1);
    assert_string_equal(good.item[0].key, "sk-1");
    assert_null(good.lack);
    for (size_t i = 0; i < countof(bad); i++) {
        scoped(providers_free) struct providers providers = { 0 };
        load_with_key(bad[i], &providers);
        assert_int_equal(providers.count, 0);
        assert_non_null(strstr(providers.lack, "provider a is ignored"));
    }
}

static void who_is_asked_for_what(void **state)
{
    char path[] = "/tmp/tollgate-providers-XXXXXX";
    scoped(providers_free) struct providers providers = { 0 };
    (void)state;
    write_file(path,
               "providers: [{name: a, type: openai, base_url: 'http://x/', model: m, "
               "vision_model: v, models: {ai-translate: n}, tools: [ai-translate, ai-alt-text]}]\n"
               "tools: {ai-alt-text: {timeout_ms: 500, deadline_ms: 2000}}");
    assert_true(providers_load(path, &providers, NULL));
    unlink(path);
    const struct provider *provider = &providers.item[0];
    assert_string_equal(provider->base_url, "http://x");
    assert_string_equal(provider_model(provider, "ai-translate", MODEL_CHAT), "n");
    assert_string_equal(provider_model(provider, "ai-alt-text", MODEL_VISION), "v");
    assert_null(provider_model(provider, "ai-translate", MODEL_IMAGE_GENERATION));
    assert_null(provider_model(provider, "ai-chat", MODEL_CHAT));
    assert_int_equal(providers_timeout_ms(&providers, provider, "ai-alt-text"), 500);
    assert_int_equal(providers_timeout_ms(&providers, provider, "ai-translate"), 30000);
    assert_int_equal(providers_deadline_ms(&providers, "ai-alt-text"), 2000);
    assert_int_equal(providers_deadline_ms(&providers, "ai-translate"), 45000);
    assert_int_equal(providers_timeout_ms(&providers, provider, "ai-image-generate"), 120000);
    assert_int_equal(providers_deadline_ms(&providers, "ai-image-generate"), 150000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_exact),          cmocka_unit_test(budgets_outlive_a_reload),
        cmocka_unit_test(what_is_missing_is_named), cmocka_unit_test(keys_are_words),
        cmocka_unit_test(who_is_asked_for_what),
    };
    int failed = RUN_ROWS(rows, check);
    failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
