/*
 * svc-utils/token-counter/token-counter.c - counts the tokens of a text and their cost for many
 * models.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"

#include "knowledge.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum { CHOICES_MAX = 51 /* model and models */ };

static const char note[] =
    "Token counts are estimates unless method is exact. Costs are list prices of the base tier in "
    "USD, without cache or batch discounts, and null if the price is unknown. Tokens that a chat "
    "adds around a text are not included.";

struct choice {
    const struct model *model; /* NULL: unknown */
    struct text given;
    struct model guessed; /* the target of model if no row has the name */
    char spelled[MODEL_NAME_BYTES];
};

struct choices {
    size_t count;
    struct choice item[CHOICES_MAX];
};

static bool is_same(const struct choice *a, const struct choice *b)
{
    if (a->model && b->model)
        return strcmp(a->model->name, b->model->name) == 0;
    return !a->model && !b->model && text_equals(a->given, b->given);
}

/* Keep the entry in the last place, unless it is a duplicate. */
static void keep_unique(struct choices *choices)
{
    const struct choice *last = &choices->item[choices->count];
    for (size_t i = 0; i < choices->count; i++)
        if (is_same(&choices->item[i], last))
            return;
    choices->count++;
}

static void choose_model(struct choices *choices, const struct models *models, struct text given)
{
    struct choice *choice = &choices->item[choices->count];
    choice->given = given;
    choice->model = models_find(models, given);
    if (!choice->model && models_guess(models, given, choice->spelled, &choice->guessed))
        choice->model = &choice->guessed;
    keep_unique(choices);
}

/* model, then models, each once; without both, the default set. */
static void read_choices(const struct job *job, const struct models *models,
                         struct choices *choices)
{
    const cJSON *item;
    if (arg_has(job, "model"))
        choose_model(choices, models, arg_text(job, "model"));
    cJSON_ArrayForEach(item, arg_any(job, "models"))
        choose_model(choices, models, json_text_of(item));
    if (arg_has(job, "model") || arg_has(job, "models"))
        return;
    for (size_t i = 0; i < models->default_count && i < CHOICES_MAX; i++)
        choose_model(choices, models, text_of(models->defaults[i]->name));
}

/* Round to ten decimals, so that printed values add up. */
static double cost_usd(int64_t tokens, double usd_per_million)
{
    return round((double)tokens * usd_per_million * 1e4) / 1e10;
}

/* A text, and what is common to all models. */
struct counting {
    const struct knowledge *knowledge;
    struct text text;
    struct token_tally tally;
    bool has_pieces; /* of the tally */
    struct {
        const struct vocabulary *vocabulary; /* NULL: unused */
        int64_t tokens;
    } exact[VOCABULARIES];
};

/* Count a text once with each vocabulary, whatever the number of models. */
static int64_t count_exactly(struct counting *counting, const struct vocabulary *vocabulary)
{
    size_t i = 0;
    while (counting->exact[i].vocabulary && counting->exact[i].vocabulary != vocabulary)
        i++;
    if (!counting->exact[i].vocabulary)
        counting->exact[i].tokens = vocabulary_count(vocabulary, counting->text);
    counting->exact[i].vocabulary = vocabulary;
    return counting->exact[i].tokens;
}

/* Only models without a vocabulary need the pieces. */
static int64_t estimate(struct counting *counting, const struct token_family *family)
{
    if (!counting->has_pieces)
        token_tally_pieces(counting->text, &counting->tally);
    counting->has_pieces = true;
    return token_estimate(&counting->tally, family);
}

/* Input and output share the context window. */
static void add_window(cJSON *item, const struct model *model, int64_t tokens)
{
    if (model->context_tokens == 0) {
        json_null(item, "context_window");
        json_null(item, "fits_context");
        return;
    }
    json_int(item, "context_window", model->context_tokens);
    json_bool(item, "fits_context", tokens <= model->context_tokens);
}

static void add_costs(cJSON *item, const struct model *model, int64_t input_tokens,
                      int64_t output_tokens)
{
    double input = cost_usd(input_tokens, model->input_usd);
    double output = cost_usd(output_tokens, model->output_usd);
    json_num(item, "input_cost_usd", input);
    json_num(item, "output_cost_usd", output);
    json_num(item, "total_cost_usd", round((input + output) * 1e10) / 1e10);
    cJSON *pricing = json_map(item, "pricing_per_1m");
    json_num(pricing, "input", model->input_usd);
    json_num(pricing, "output", model->output_usd);
}

static void add_no_costs(cJSON *item)
{
    json_null(item, "input_cost_usd");
    json_null(item, "output_cost_usd");
    json_null(item, "total_cost_usd");
    json_null(item, "pricing_per_1m");
}

static void add_model(struct counting *counting, const struct choice *choice, int64_t output_tokens,
                      cJSON *list)
{
    const struct model *model = choice->model;
    const struct vocabulary *vocabulary = knowledge_vocabulary(counting->knowledge, model);
    int64_t input_tokens =
        vocabulary ? count_exactly(counting, vocabulary) : estimate(counting, model->family);
    cJSON *item = json_item(list);
    json_str(item, "model", model->name);
    json_str(item, "provider", model->provider);
    json_int(item, "estimated_input_tokens", input_tokens);
    json_int(item, "estimated_output_tokens", output_tokens);
    if (model->has_price)
        add_costs(item, model, input_tokens, output_tokens);
    else
        add_no_costs(item);
    json_str(item, "method", vocabulary ? "exact" : "heuristic");
    json_str(item, "tokenizer", token_family_name(model->family));
    json_text_add(item, "name_given", choice->given);
    add_window(item, model, input_tokens + output_tokens);
    if (model->retirement == RETIREMENT_UNKNOWN)
        json_null(item, "deprecated");
    else
        json_bool(item, "deprecated", model->retirement == RETIREMENT_ANNOUNCED);
}

bool token_counter(const struct job *job, cJSON *result, struct err *err)
{
    struct counting counting = { .knowledge = job->data, .text = arg_text(job, "text") };
    const struct models *models = counting.knowledge->models;
    struct choices choices = { 0 };

    (void)err; /* every text and every name has a result */
    token_tally_characters(counting.text, &counting.tally);
    read_choices(job, models, &choices);

    json_int(result, "text_length", counting.tally.characters);
    json_int(result, "text_bytes", counting.tally.bytes);
    json_int(result, "word_count", counting.tally.words);
    cJSON *known = json_list(result, "models");
    cJSON *unknown = json_list(result, "unknown_models");
    for (size_t i = 0; i < choices.count; i++) {
        if (choices.item[i].model)
            add_model(&counting, &choices.item[i], arg_int(job, "output_tokens"), known);
        else
            json_item_add(unknown, json_new_text(choices.item[i].given));
    }
    json_str(result, "pricing_as_of", models->as_of);
    json_str(result, "note", note);
    return true;
}
