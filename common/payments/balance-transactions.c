/* common/payments/balance-transactions.c - see balance-transactions.h. */
#include "payments/balance-transactions.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/uuid.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/table.h"

enum {
    PAGES_MAX =
        500, /* of a window: 50,000 transactions in all, because all types are one list too */
    PAYMENT_PAGES_MAX = 20, /* of a payment */
    TRIES = 3,
    PAUSE_MS = 500, /* before the second try, twice that before the third */
};

void transaction_lines_free(struct transaction_lines *lines)
{
    buf_free(&lines->text);
    mem_free(&lines->sums);
}

static bool reject(const char *list, const char *why, struct err *err)
{
    return err_set(err, ERR_PAYLOAD_MISMATCH, "the processor's list of %s %s", list, why);
}

/* ---- one transaction ---- */

/* What a transaction is for its payment. */
static const struct type_row {
    const char *type;
    const char *what; /* NULL: its source says */
} money_types[] = {
    { "charge", "paid" },
    { "payment", "paid" },
    { "payment_failure_refund", "paid" },
    { "payment_reversal", "paid" },
    { "refund", "refunded" },
    { "payment_refund", "refunded" },
    { "refund_failure", "refunded" },
    { "adjustment", NULL },
};

static const struct object_row {
    const char *object;
    const char *what;
} source_objects[] = {
    { "charge", "paid" },
    { "refund", "refunded" },
    { "dispute", "disputed" },
};

/* NULL: it is not about a payment. */
static const char *what_of(const cJSON *transaction, const cJSON *source)
{
    for (size_t i = 0; i < countof(money_types); i++)
        if (text_is(json_text_of(json_get(transaction, "type")), money_types[i].type) &&
            money_types[i].what)
            return money_types[i].what;
    if (!text_is(json_text_of(json_get(transaction, "type")), "adjustment") ||
        text_is(json_text_of(json_get(transaction, "reporting_category")), "fee"))
        return NULL;
    for (size_t i = 0; i < countof(source_objects); i++)
        if (text_is(json_text_of(json_get(source, "object")), source_objects[i].object))
            return source_objects[i].what;
    return NULL;
}

static bool read_money(const cJSON *node, int64_t *amount)
{
    if (!json_is_integer(node) || node->valuedouble > (double)TRANSACTION_AMOUNT_MAX ||
        node->valuedouble < -(double)TRANSACTION_AMOUNT_MAX)
        return false;
    *amount = (int64_t)node->valuedouble;
    return true;
}

/* The parts of a transaction that are used without its source. */
struct transaction {
    char id[PROCESSOR_ID_BYTES];
    char type[TRANSACTION_TYPE_BYTES];
    char currency[CURRENCY_BYTES];
    int64_t amount, fee, created_s;
};

static bool read_type(const cJSON *node, char out[static TRANSACTION_TYPE_BYTES])
{
    struct text type = json_text_of(node);
    if (!stripe_is_id(type) || type.size >= TRANSACTION_TYPE_BYTES)
        return false;
    memcpy(out, type.bytes, type.size + 1);
    return true;
}

static bool read_transaction(const cJSON *transaction, struct transaction *parts)
{
    return stripe_copy_id(json_get(transaction, "id"), parts->id) &&
           read_type(json_get(transaction, "type"), parts->type) &&
           stripe_read_currency(json_get(transaction, "currency"), parts->currency) &&
           read_money(json_get(transaction, "amount"), &parts->amount) &&
           read_money(json_get(transaction, "fee"), &parts->fee) &&
           read_money(json_get(transaction, "created"), &parts->created_s) && parts->created_s >= 0;
}

/* ---- a line ---- */

static void print_line(const cJSON *line, struct buf *text)
{
    json_print(line, text);
    buf_add_byte(text, ',');
}

/* The payment and the order of a charge, refund or dispute. A charge has its payment's metadata. */
static bool add_source(const cJSON *source, cJSON *line)
{
    char payment[PROCESSOR_ID_BYTES];
    char order[UUID_TEXT_BYTES];
    char currency[CURRENCY_BYTES];
    int64_t amount;
    struct uuid id;
    bool has_payment = stripe_copy_ref(json_get(source, "payment_intent"), payment);
    if (!stripe_read_currency(json_get(source, "currency"), currency) ||
        !read_money(json_get(source, "amount"), &amount) || amount < 0)
        return false;
    bool has_order = uuid_parse(json_text_of(json_at(source, "/metadata/order_id")), &id);
    if (has_order)
        uuid_format(order, &id);
    json_str(line, "payment", has_payment ? payment : NULL);
    json_str(line, "order_id", has_payment && has_order ? order : NULL);
    json_str(line, "source_currency", currency);
    json_int(line, "source_amount", amount);
    return true;
}

bool transaction_add_line(const cJSON *transaction, const cJSON *source, struct buf *text,
                          struct err *err)
{
    scoped(json_free) cJSON *line = json_object();
    struct transaction parts;
    const char *what = what_of(transaction, source);
    if (!read_transaction(transaction, &parts))
        return reject("balance transactions", "has an invalid item", err);
    if (!what || !json_is(source, cJSON_Object))
        return true;
    json_str(line, "id", parts.id);
    json_str(line, "what", what);
    json_int(line, "created", parts.created_s);
    json_str(line, "currency", parts.currency);
    json_int(line, "amount", parts.amount);
    json_bool(line, "is_unsettled", false);
    if (!add_source(source, line))
        return reject("balance transactions", "has an item with an invalid source", err);
    if (json_text(line, "/payment"))
        print_line(line, text);
    return true;
}

/* A refund or dispute without a transaction. */
static bool add_unsettled(const cJSON *source, const char *what, const char *list, struct buf *text,
                          struct err *err)
{
    scoped(json_free) cJSON *line = json_object();
    struct transaction own;
    if (!stripe_copy_id(json_get(source, "id"), own.id) ||
        !read_money(json_get(source, "created"), &own.created_s) || !add_source(source, line))
        return reject(list, "has an invalid item", err);
    json_str(line, "id", own.id);
    json_str(line, "what", what);
    json_int(line, "created", own.created_s);
    json_add(line, "currency", json_copy(json_get(line, "source_currency")));
    json_int(line, "amount", -json_integer(line, "source_amount"));
    json_bool(line, "is_unsettled", true);
    print_line(line, text);
    return true;
}

/* ---- sums ---- */

/* NULL: there are too many. */
static struct transaction_sum *find_sum(struct transaction_sums *sums,
                                        const struct transaction *parts)
{
    struct transaction_sum *sum = sums->item;
    while (sum < sums->item + sums->count &&
           (strcmp(sum->type, parts->type) != 0 || strcmp(sum->currency, parts->currency) != 0))
        sum++;
    if (sum < sums->item + sums->count)
        return sum;
    if (sums->count == TRANSACTION_SUMS_MAX)
        return NULL;
    sums->count++;
    memcpy(sum->type, parts->type, sizeof(sum->type));
    memcpy(sum->currency, parts->currency, sizeof(sum->currency));
    return sum;
}

static bool add_sum(struct transaction_sums *sums, const struct transaction *parts)
{
    struct transaction_sum *sum = find_sum(sums, parts);
    if (!sum)
        return false;
    sum->count++;
    sum->amount += parts->amount;
    sum->fee += parts->fee;
    return true;
}

static bool is_money_type(const char *type)
{
    for (size_t i = 0; i < countof(money_types); i++)
        if (strcmp(type, money_types[i].type) == 0)
            return true;
    return false;
}

static bool has_sum(const struct transaction_sums *sums, const struct transaction_sum *sum)
{
    for (size_t i = 0; i < sums->count; i++) {
        const struct transaction_sum *one = &sums->item[i];
        if (strcmp(one->type, sum->type) == 0 && strcmp(one->currency, sum->currency) == 0)
            return one->count == sum->count && one->amount == sum->amount && one->fee == sum->fee;
    }
    return false;
}

/* Do both lists have the same transactions of these types? */
static bool check_sums(const struct transaction_sums *all, const struct transaction_sums *by_type,
                       struct err *err)
{
    bool ok = true;
    for (size_t i = 0; i < all->count; i++)
        ok = ok && (!is_money_type(all->item[i].type) || has_sum(by_type, &all->item[i]));
    for (size_t i = 0; i < by_type->count; i++)
        ok = ok && has_sum(all, &by_type->item[i]);
    return ok || reject("balance transactions", "differs when it is read by type", err);
}

/* ---- pages ---- */

/* A list that is being read. */
struct reading {
    const struct stripe_client *client;
    const char *name;  /* for the operator: "refunds" */
    const char *query; /* path and query, without the page */
    int64_t deadline_ms;
    int pages_max;
    bool may_be_missing; /* what the list is about may not exist: then it has no items */
    size_t count;        /* of items */
    char **ids;          /* of all items */
};

static void reading_free(struct reading *reading)
{
    for (size_t i = 0; i < reading->count; i++)
        mem_free(&reading->ids[i]);
    mem_free(&reading->ids);
}

static bool get_with_retries(const struct reading *reading, const char *path,
                             struct stripe_response *response, struct err *err)
{
    int64_t pause_ms = PAUSE_MS;
    for (int i = 1;; i++) {
        if (stripe_get(reading->client, path, reading->deadline_ms, response, err))
            return true;
        bool is_refused = response->status >= 400 && response->status < 500;
        if (i == TRIES || (is_refused && response->status != 429) ||
            deadline_left_ms(reading->deadline_ms) == 0)
            return false;
        stripe_response_free(response);
        poll(NULL, 0, deadline_poll_ms(deadline_within(reading->deadline_ms, pause_ms)));
        pause_ms *= 2;
    }
}

static bool note_ids(struct reading *reading, const cJSON *page, struct err *err)
{
    const cJSON *data = json_get(page, "data");
    const cJSON *item;
    size_t more = json_size(data);
    if (more == 0)
        return true;
    reading->ids = mem_resize(reading->ids, (reading->count + more) * sizeof(*reading->ids));
    cJSON_ArrayForEach(item, data) {
        char id[PROCESSOR_ID_BYTES];
        if (!stripe_copy_id(json_get(item, "id"), id))
            return reject(reading->name, "has an item without an id", err);
        reading->ids[reading->count++] = str_dup(id);
    }
    return true;
}

/* A page that begins again with the first item would make the list endless. */
static bool check_progress(const struct reading *reading, const cJSON *page, struct err *err)
{
    const char *first = json_text(page, "/data/0/id");
    return reading->count == 0 || !first || strcmp(first, reading->ids[0]) != 0 ||
           reject(reading->name, "begins again", err);
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool check_ids(struct reading *reading, struct err *err)
{
    if (reading->count > 1)
        qsort(reading->ids, reading->count, sizeof(*reading->ids), compare_ids);
    for (size_t i = 1; i < reading->count; i++)
        if (strcmp(reading->ids[i - 1], reading->ids[i]) == 0)
            return reject(reading->name, "has an item twice", err);
    return true;
}

static bool is_missing(const struct reading *reading, const struct stripe_response *response)
{
    return reading->may_be_missing && reading->count == 0 &&
           (response->status == 400 || response->status == 404) &&
           text_is(json_text_of(json_at(response->tree, "/error/code")), "resource_missing");
}

static bool read_page(struct reading *reading, char after[static PROCESSOR_ID_BYTES],
                      struct stripe_response *response, struct err *err)
{
    scoped(mem_free) char *path =
        str_format("%s%s%s", reading->query, after[0] ? "&starting_after=" : "", after);
    if (!get_with_retries(reading, path, response, err))
        return is_missing(reading, response);
    if (!stripe_find_next_page(response->tree, after))
        return reject(reading->name, "is not a list", err);
    return check_progress(reading, response->tree, err) && note_ids(reading, response->tree, err);
}

typedef bool add_item(const cJSON *item, void *argument, struct err *err);

static bool add_items(const cJSON *page, add_item *add, void *argument, struct err *err)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(page, "data"))
        if (!add(item, argument, err))
            return false;
    return true;
}

static bool read_pages(struct reading *reading, add_item *add, void *argument, struct err *err)
{
    char after[PROCESSOR_ID_BYTES] = "";
    for (int i = 0; i < reading->pages_max; i++) {
        scoped(stripe_response_free) struct stripe_response response = { 0 };
        if (!read_page(reading, after, &response, err) ||
            !add_items(response.tree, add, argument, err))
            return false;
        if (!after[0])
            return check_ids(reading, err);
    }
    return err_set(err, ERR_PAYLOAD_MISMATCH, "the processor's list of %s has more than %d pages",
                   reading->name, reading->pages_max);
}

/* ---- a window of time ---- */

struct window {
    int64_t from_s, to_s;
    struct transaction_sums *sums;
    struct buf *text; /* NULL: only sums */
};

static bool add_transaction(const cJSON *item, void *argument, struct err *err)
{
    struct window *window = argument;
    struct transaction parts;
    if (!read_transaction(item, &parts))
        return reject("balance transactions", "has an invalid item", err);
    if (parts.created_s < window->from_s || parts.created_s >= window->to_s)
        return reject("balance transactions", "has an item of another day", err);
    if (!add_sum(window->sums, &parts))
        return reject("balance transactions", "has too many types", err);
    if (!window->text)
        return true;
    if (!transaction_add_line(item, json_get(item, "source"), window->text, err))
        return false;
    return !window->text->full || reject("balance transactions", "is too long", err);
}

static bool read_type_of_window(const struct stripe_client *client, const char *type,
                                int64_t deadline_ms, struct window *window, struct err *err)
{
    scoped(mem_free) char *query =
        str_format("/v1/balance_transactions?limit=100&created%%5Bgte%%5D=%lld&created%%5Blt%%5D="
                   "%lld%s%s%s",
                   (long long)window->from_s, (long long)window->to_s, type ? "&type=" : "",
                   type ? type : "", type ? "&expand%5B%5D=data.source" : "");
    scoped(reading_free) struct reading reading = { .client = client,
                                                    .name = "balance transactions",
                                                    .query = query,
                                                    .deadline_ms = deadline_ms,
                                                    .pages_max = PAGES_MAX };
    return read_pages(&reading, add_transaction, window, err);
}

/* Only the types of payments are expanded: a key that reads these need not read payouts. */
bool transactions_read(const struct stripe_client *client, int64_t from_s, int64_t to_s,
                       int64_t deadline_ms, struct transaction_lines *lines, struct err *err)
{
    scoped(mem_free) struct transaction_sums *sums = mem_new(sizeof(*sums));
    scoped(mem_free) struct transaction_sums *all_sums = mem_new(sizeof(*all_sums));
    struct window window = { from_s, to_s, sums, &lines->text };
    struct window all = { from_s, to_s, all_sums, NULL };
    for (size_t i = 0; i < countof(money_types); i++)
        if (!read_type_of_window(client, money_types[i].type, deadline_ms, &window, err))
            return false;
    if (!read_type_of_window(client, NULL, deadline_ms, &all, err) ||
        !check_sums(all_sums, sums, err))
        return false;
    lines->sums = take(all_sums);
    return true;
}

/* ---- a payment ---- */

struct statement {
    const char *payment;
    struct buf *text;
};

static bool add_expanded(const cJSON *transaction, const cJSON *source, struct statement *statement,
                         struct err *err)
{
    return !json_is(transaction, cJSON_Object) ||
           transaction_add_line(transaction, source, statement->text, err);
}

static bool check_payment(const cJSON *item, const struct statement *statement, const char *list,
                          struct err *err)
{
    char payment[PROCESSOR_ID_BYTES];
    return (stripe_copy_ref(json_get(item, "payment_intent"), payment) &&
            strcmp(payment, statement->payment) == 0) ||
           reject(list, "has an item of another payment", err);
}

static bool add_charge(const cJSON *item, void *argument, struct err *err)
{
    struct statement *statement = argument;
    return check_payment(item, statement, "charges", err) &&
           add_expanded(json_get(item, "balance_transaction"), item, statement, err);
}

static bool is_among(const cJSON *node, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_is(json_text_of(node), words[i]))
            return true;
    return false;
}

static bool add_refund(const cJSON *item, void *argument, struct err *err)
{
    static const char *const ended[] = { "failed", "canceled" };
    struct statement *statement = argument;
    const cJSON *transaction = json_get(item, "balance_transaction");
    if (!check_payment(item, statement, "refunds", err))
        return false;
    if (!json_is(transaction, cJSON_Object) &&
        !is_among(json_get(item, "status"), ended, countof(ended)))
        return add_unsettled(item, "refunded", "refunds", statement->text, err);
    return add_expanded(transaction, item, statement, err) &&
           add_expanded(json_get(item, "failure_balance_transaction"), item, statement, err);
}

static bool add_dispute(const cJSON *item, void *argument, struct err *err)
{
    static const char *const quiet[] = { "won", "prevented", "warning_needs_response",
                                         "warning_under_review", "warning_closed" };
    struct statement *statement = argument;
    const cJSON *moved = json_get(item, "balance_transactions");
    const cJSON *transaction;
    if (!check_payment(item, statement, "disputes", err))
        return false;
    if (json_size(moved) == 0 && !is_among(json_get(item, "status"), quiet, countof(quiet)))
        return add_unsettled(item, "disputed", "disputes", statement->text, err);
    cJSON_ArrayForEach(transaction, moved)
        if (!add_expanded(transaction, item, statement, err))
            return false;
    return true;
}

static const struct list_row {
    const char *name;
    const char *expand;
    add_item *add;
} payment_lists[] = {
    { "charges", "&expand%5B%5D=data.balance_transaction", add_charge },
    { "refunds",
      "&expand%5B%5D=data.balance_transaction&expand%5B%5D=data.failure_balance_transaction",
      add_refund },
    { "disputes", "", add_dispute },
};

bool transactions_read_payment(const struct stripe_client *client, const char *payment,
                               int64_t deadline_ms, struct transaction_lines *lines,
                               struct err *err)
{
    struct statement statement = { payment, &lines->text };
    for (size_t i = 0; i < countof(payment_lists); i++) {
        const struct list_row *row = &payment_lists[i];
        scoped(mem_free) char *query =
            str_format("/v1/%s?payment_intent=%s&limit=100%s", row->name, payment, row->expand);
        scoped(reading_free) struct reading reading = { .client = client,
                                                        .name = row->name,
                                                        .query = query,
                                                        .deadline_ms = deadline_ms,
                                                        .pages_max = PAYMENT_PAGES_MAX,
                                                        .may_be_missing = true };
        if (!read_pages(&reading, row->add, &statement, err))
            return false;
    }
    return !lines->text.full || reject("balance transactions", "is too long", err);
}
