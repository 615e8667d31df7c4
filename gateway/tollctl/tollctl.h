/*
 * gateway/tollctl/tollctl.h - shared by the commands of tollctl: their declaration and context.
 *
 * A command fills an answer, a JSON object. main() prints it as JSON (--json) or as lines and
 * tables (out.h). The command's database connection is open and not in a transaction; what it has
 * not committed on return is rolled back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "gateway/tollctl/args.h"
#include "text/conf.h"
#include "text/json.h"

struct sql; /* db/sql.h */

/* The largest amount on a command line: sums stay exact in JSON, and a typing error can be
 * corrected. */
#define CREDITS_MAX INT64_C(1000000000000)

struct tollctl {
    const struct command *command;
    struct args args;
    bool is_json;
    bool is_silent;        /* the command prints its output */
    int status;            /* exit status; 0 becomes 1 if the command fails */
    const char *remark;    /* printed after the answer for people; NULL: nothing */
    char remark_text[256]; /* of a remark with numbers */
    struct conf *conf;     /* both NULL for a command without a database */
    struct sql *sql;
};

struct command {
    const char *name; /* "account create" */
    const char *summary;
    bool (*run)(struct tollctl *ctl, cJSON *answer, struct err *err);
    bool is_offline; /* needs neither configuration nor database */
    struct arg_spec args[ARGS_MAX + 1];
};

/* Each list ends with a row without a name. */
extern const struct command account_commands[]; /* account.c */
extern const struct command token_commands[];   /* token.c */
extern const struct command ledger_commands[];  /* ledger.c */
extern const struct command member_commands[];  /* member.c */
extern const struct command mail_commands[];    /* mail.c */
extern const struct command order_commands[];   /* billing/order.c */
extern const struct command invoice_commands[]; /* billing/invoice.c */
extern const struct command pack_commands[];    /* offers/pack.c */
extern const struct command plan_commands[];    /* offers/plan.c */
extern const struct command request_commands[]; /* requests/request.c */
extern const struct command signup_commands[];  /* offers/signup.c */
extern const struct command verify_commands[];  /* verify.c */
extern const struct command backup_commands[];  /* backups/backup.c */
extern const struct command db_commands[];      /* migrate.c */
extern const struct command keys_commands[];    /* keys.c */
extern const struct command config_commands[];  /* config.c */
