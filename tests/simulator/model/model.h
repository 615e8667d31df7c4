/*
 * tests/simulator/model/model.h - the functions of gateway/sql/002-ledger.sql in C: the rules of
 * money a second time, fast enough for a million schedules.
 *
 * A database is a plain struct, so that a transaction works on a copy, and a replica is one.
 * Rejected transactions have the SQLSTATE that PostgreSQL would report.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/codec/uuid.h"
#include "gateway/ledger/admission.h"

enum {
    ACCOUNTS_MAX = 4,
    TOKENS_MAX = 8,
    TOOLS_MAX = 8,
    PLANS_MAX = 2,
    CLASSES_MAX = 3, /* rate classes of tools */
    RING_MAX = 60,
    HOLDS_MAX = 160,
    ENTRIES_MAX = 320,
    KEYS_MAX = 48,
    QUOTAS_MAX = 24,
    STORED_BYTES = 256, /* of headers and of a body */
    SCOPES_BYTES = 64,
    HASH_BYTES = 32,
    BATCH_MAX = 128,
    SQLSTATE_BYTES = 6,
    MS_A_DAY = 86400000,
};

#define ABSENT INT64_MIN /* SQL's NULL */

enum account_state { ACCOUNT_ACTIVE, ACCOUNT_SUSPENDED, ACCOUNT_CLOSED };

struct m_account {
    struct uuid id;
    enum account_state state;
    bool limits_off;
    bool is_poisoned; /* a constraint of it fails when a hold expires: its rows contradict */
    int64_t plan;     /* its index; ABSENT: none */
    int64_t plan_ms;  /* since then */
    int64_t posted, held, granted, purchased, used, seq;
    uint8_t head[HASH_BYTES];
    size_t ring_count;
    int64_t ring_at[RING_MAX];
    int64_t ring_tool[RING_MAX];
};

/* An IPv4 network. bits 0: none, so every address is in it. */
struct m_network {
    uint32_t address;
    int bits;
};

/* A client's address. Of IPv6 addresses, only that they are in no network of the model. */
struct m_address {
    enum { ADDRESS_NONE, ADDRESS_IPV4, ADDRESS_IPV6 } kind;
    uint32_t ipv4;
};

struct m_token {
    struct uuid account, id;
    uint8_t digest[DIGEST_BYTES];
    int64_t kind;
    bool is_revoked, is_strict;
    bool is_locked;            /* by another session: its last use is not written */
    int64_t expires_ms;        /* ABSENT: never */
    int64_t last_used_ms;      /* ABSENT: never */
    char scopes[SCOPES_BYTES]; /* tools and groups, separated by commas; "": all */
    struct m_network network;
    int64_t cap_daily, cap_total;     /* ABSENT: no cap */
    int64_t spent_today, spent_total; /* spent_total ABSENT: without counters */
    int64_t spent_day;                /* days since 1970 */
};

/* The tool tool-N of the group group-M and the rate class class-C. */
struct m_tool {
    int64_t id;
    int64_t price, price_before; /* price_before ABSENT: never changed */
    int64_t rate_class;
    int64_t group;
};

/* A plan, and its numbers for the tools of each class: ABSENT is that of the request, 0 no limit.
 */
struct m_plan {
    int64_t id, global_limit;
    bool address_exempt;
    struct {
        int64_t endpoint_limit, class_limit, daily_limit;
    } of[CLASSES_MAX];
};

enum hold_state { HOLD_OPEN = 1, HOLD_CAPTURED, HOLD_VOIDED, HOLD_EXPIRED };

struct m_hold {
    struct uuid account, id;
    int64_t amount, tool, token; /* token: its index; ABSENT: none */
    int64_t state;
    int64_t quota_day; /* ABSENT: none */
    bool has_key, is_replayed;
    uint8_t key[DIGEST_BYTES];
    int64_t created_ms, expires_ms;
    int64_t settled_ms; /* ABSENT: it is open */
};

enum entry_kind {
    ENTRY_GRANT = 1,
    ENTRY_PURCHASE,
    ENTRY_USAGE,
    ENTRY_REFUND,
    ENTRY_ADJUSTMENT,
    ENTRY_REVERSED, /* a payment */
    ENTRY_UNDONE,   /* a reversal */
};

struct m_entry {
    struct uuid account, reference;
    int64_t seq, kind, amount, balance_after, tool, token, at_ms;
    uint8_t hash[HASH_BYTES];
};

struct m_stored {
    int64_t size; /* ABSENT: NULL */
    char bytes[STORED_BYTES];
};

struct m_key {
    struct uuid account, hold;
    uint8_t key[DIGEST_BYTES], fingerprint[DIGEST_BYTES];
    bool is_done;
    struct m_stored headers, body;
    int64_t expires_ms;
};

struct m_quota {
    struct uuid account;
    int64_t tool, day, used;
};

struct m_piece { /* of a large response */
    struct uuid account, hold;
    int64_t piece, size, expires_ms; /* its bytes: one, the size */
};

struct m_fault { /* a sweep skipped the account */
    struct uuid account;
    const char *error;
    int64_t first_ms, last_ms;
};

/* A database. */
struct model {
    size_t account_count, token_count, tool_count, hold_count, entry_count, key_count, quota_count;
    size_t piece_count, plan_count, fault_count;
    bool has_faults; /* faults are kept; gateways do not run each sweep in PostgreSQL, too */
    int64_t prune_seen_ms, prune_steady_ms; /* prune_clock; ABSENT: never */
    int64_t commits;
    struct m_account account[ACCOUNTS_MAX];
    struct m_token token[TOKENS_MAX];
    struct m_tool tool[TOOLS_MAX];
    struct m_hold hold[HOLDS_MAX];
    struct m_entry entry[ENTRIES_MAX];
    struct m_key key[KEYS_MAX];
    struct m_quota quota[QUOTAS_MAX];
    struct m_piece piece[KEYS_MAX];
    struct m_plan plan[PLANS_MAX];
    struct m_fault fault[ACCOUNTS_MAX];
};

/* An item of a batch: the columns of gateway/ledger/columns.def; ABSENT for NULL. */
struct m_item {
    int64_t op;
    struct uuid account, hold;
    int64_t since;
    struct m_stored headers, body;
    uint8_t token[DIGEST_BYTES];
    int64_t tool, amount, endpoint_limit, class_limit, global_limit, daily_limit, ttl_ms;
    bool has_key;
    uint8_t key[DIGEST_BYTES], fingerprint[DIGEST_BYTES];
    struct m_address address;
};

struct m_outcome {
    int64_t ord;
    const char *outcome;
    int64_t posted, held, window_limit, window_left, reset_ms, retry_ms;
    struct m_stored headers, body;
    int64_t granted, purchased, used, seq;
    bool has_plan, has_token;
    int64_t plan_class; /* ABSENT: the tool is unknown */
    struct m_plan plan;
    struct uuid token;
};

/* A row of token_check(). */
struct m_check {
    const char *outcome;
    bool has_token, has_plan;
    struct m_token token;
    int64_t spent_today;
    struct m_plan plan;
    int64_t plan_ms;
};

struct m_batch {
    bool skips_busy;
    size_t settle_count, admit_count;
    struct m_item *settle;
    struct m_item *admit;
};

/* Copy the rows in use. */
void model_copy(struct model *to, const struct model *from);

/* ledger_batch() after its locks. locked: a bit for each account. sqlstate: "" if it succeeds; else
 * the model must not be used again. */
void model_batch(struct model *model, const struct m_batch *batch, unsigned locked, int64_t now_ms,
                 struct m_outcome *outcomes, char sqlstate[static SQLSTATE_BYTES]);

/* The accounts that a batch locks. */
unsigned model_wanted(const struct model *model, const struct m_batch *batch);

struct m_step {
    int64_t count, is_more, reached_ms, busy_ms;
};

/* ledger_sweep(); locked: the accounts that other sessions have locked. */
struct m_step model_sweep(struct model *model, int64_t since_ms, int64_t limit, unsigned locked,
                          int64_t now_ms, char sqlstate[static SQLSTATE_BYTES]);
struct m_step model_prune(struct model *model, int64_t since_ms, int64_t limit, int64_t now_ms);

/* The same, while other sessions have locked rows of these accounts. */
struct m_row_locks {
    unsigned holds, keys, pieces, quotas;
};
struct m_step model_prune_unlocked(struct model *model, int64_t since_ms, int64_t limit,
                                   struct m_row_locks locked, int64_t now_ms);

/* token_check() of one token. */
struct m_check model_token_check(const struct model *model, const struct uuid *account,
                                 const uint8_t *digest, const struct m_address *address,
                                 int64_t now_ms);

/* ---- functions of operators and of large responses: model-other.c ---- */

/* The answers of functions that return a boolean, or NULL. */
enum m_answer { ANSWER_FALSE, ANSWER_TRUE, ANSWER_NULL };

/* ledger_book(), token_cap() and ledger_end_call(), which returns an outcome or NULL. */
enum m_answer model_book(struct model *model, const struct m_entry *entry,
                         char sqlstate[static SQLSTATE_BYTES]);
enum m_answer model_cap(struct model *model, size_t token, int64_t daily, int64_t total);
const char *model_end_call(struct model *model, const struct uuid *account, const struct uuid *hold,
                           int64_t now_ms, char sqlstate[static SQLSTATE_BYTES]);

/* admission_preview(): changes nothing, as the item has no key. */
struct m_outcome model_preview(struct model *model, const struct m_item *item, int64_t now_ms);

/* large_response_put(), _get(), which returns a piece or NULL, and _replayed(). */
enum m_answer model_put_large(struct model *model, const struct m_piece *piece,
                              char sqlstate[static SQLSTATE_BYTES]);
const struct m_piece *model_get_large(struct model *model, const struct uuid *account,
                                      const uint8_t *digest, const uint8_t *key, int64_t piece);
enum m_answer model_large_replayed(struct model *model, const struct uuid *account,
                                   const uint8_t *digest, const uint8_t *key);

/* ---- lookups ---- */

struct m_account *model_account(struct model *model, const struct uuid *id);
struct m_hold *model_hold(struct model *model, const struct uuid *account, const struct uuid *id);
unsigned model_account_bit(const struct model *model, const struct uuid *id);

/* Its index; ABSENT: unknown. */
int64_t model_token(const struct model *model, const struct uuid *account, const uint8_t *digest);

/* ---- shared by the files of the model ---- */

/* check_token() and check_network(): NULL, or the error code. */
const char *model_token_error(const struct model *model, int64_t token,
                              const struct m_address *address, int64_t now_ms);
void model_check_rows(const struct model *model, char *sqlstate);

int64_t model_day(int64_t ms);
int64_t model_newest_call(const struct m_account *account); /* ABSENT: the ring is empty */
bool model_is_charged(const struct model *model, const struct uuid *hold);
struct m_hold *model_add_hold(struct model *model, const struct m_hold *hold, char *sqlstate);
void model_add_entry(struct model *model, const struct m_entry *entry, char *sqlstate);
void model_find_paid(struct model *model, const struct m_item *items, size_t count, unsigned mask);
void model_bar(struct model *model, const struct uuid *account, const struct uuid *hold,
               int64_t now_ms);
void model_settle(struct model *model, const struct m_item *items, size_t count, unsigned locked,
                  int64_t now_ms, struct m_outcome *outcomes, char *sqlstate);
void model_admit(struct model *model, const struct m_item *items, size_t count, unsigned locked,
                 int64_t now_ms, int64_t before, struct m_outcome *outcomes, char *sqlstate);

/* End a hold by op 5, at now_ms or the account's newest call; with its key, or without. */
void model_expire(struct model *model, const struct uuid *account, const struct uuid *hold,
                  int64_t now_ms, bool ends_key, char *sqlstate);
struct m_key *model_key(struct model *model, const struct uuid *account, const uint8_t *key);
struct m_quota *model_quota(struct model *model, const struct uuid *account, int64_t tool,
                            int64_t day);
void model_drop_key(struct model *model, struct m_key *key);

/* ---- mutants: rules of money broken on purpose, one at a time; the judge must notice ---- */

enum mutant {
    MUTANT_NONE,
#define MUTANT(name, text) MUTANT_##name,
#include "mutants.def"
    MUTANTS
};
bool is_mutant(enum mutant mutant);
void mutant_choose(enum mutant mutant);
