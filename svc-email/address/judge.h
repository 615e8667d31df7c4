/*
 * svc-email/address/judge.h - what speaks for and against an address, from its writing, from files
 * and from what the DNS says: rules over facts, without network.
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

/* All that is known before the rules are asked. */
struct facts {
    const struct mailbox *mailbox;
    const char *owner; /* the registrable domain, a pointer into the mailbox's domain */
    const struct evidence *evidence; /* NULL: the DNS was not asked */
    const struct knowledge *knowledge;
    const struct public_suffixes *suffixes;
};

struct judgement {
    bool signal[SIGNALS];
    int score; /* 0 to 100: the sum of the weights, within these bounds */
    enum verdict verdict;
    const struct provider
        *provider;             /* NULL: the domain is of none that gives mailboxes to anybody */
    const char *mail_provider; /* who has its mail; NULL: not known */
    bool is_subaddressed;
    bool has_suggestion;
    char suggestion[MAILBOX_OCTETS + 2 * HOST_BYTES];
    char canonical[2 * MAILBOX_OCTETS]; /* the same for what reaches the same mailbox; empty when
                                         * the address is not valid */
};

/* Is it settled without the DNS? An address that is not valid, has an IP address, a single label or
 * a name of special use for its domain, or is on the list of disposable ones. */
bool facts_need_no_evidence(const struct facts *facts);

void judge_address(const struct facts *facts, struct judgement *judgement);
