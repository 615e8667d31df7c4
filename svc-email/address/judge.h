/*
 * svc-email/address/judge.h - judge an address by its syntax, data files and DNS evidence: rules
 * over facts, without network.
 */
#pragma once

#include "address/evidence.h"
#include "address/knowledge.h"
#include "mailbox/mailbox.h"
#include "net/host.h"
#include "text/domains/public-suffix.h"

enum signal_code {
#define SIGNAL(code, weight, message) SIGNAL_##code,
#include "address/signals.def"
#undef SIGNAL
    SIGNALS
};

/* A row of signals.def. */
struct signal_row {
    const char *name;
    int weight;
    const char *message;
};

extern const struct signal_row signal_rows[SIGNALS];

enum verdict { VERDICT_DISPOSABLE, VERDICT_SUSPICIOUS, VERDICT_LEGITIMATE };

extern const char *const verdict_names[];

/* The input of the rules. */
struct facts {
    const struct mailbox *mailbox;
    const char *owner;               /* the registrable domain, in the mailbox's domain */
    const struct evidence *evidence; /* NULL: the DNS was not queried */
    const struct knowledge *knowledge;
    const struct public_suffixes *suffixes;
};

struct judgement {
    bool signal[SIGNALS];
    int score; /* 0 to 100: the sum of the weights, clamped */
    enum verdict verdict;
    const struct provider *provider; /* NULL: not a provider of public mailboxes */
    const char *mail_provider;       /* NULL: unknown */
    bool is_subaddressed;
    bool has_suggestion;
    char suggestion[MAILBOX_OCTETS + 2 * HOST_BYTES];
    char canonical[2 * MAILBOX_OCTETS]; /* equal for all addresses of one mailbox; empty for an
                                         * invalid address */
};

/* Whether no DNS query is needed: the address is invalid, its domain is an IP address, a single
 * label or a special-use name, or it is on the disposable list. */
bool facts_need_no_evidence(const struct facts *facts);

void judge_address(const struct facts *facts, struct judgement *judgement);
