/*
 * svc-ai/model/question.h - turn a tool's ask into the messages for a model, hardened in one place:
 * - the customer's text is material between marks that cannot be guessed
 * - options are JSON
 * - our own text carries a canary that no answer may contain
 */
#pragma once

#include "model/model.h"
#include "model/prompt.h"
#include "model/wire/wire.h"

enum { NONCE_BYTES = 33 /* 128 random bits in hexadecimal, and a NUL */ };

/* By value; release with conversation_free(). Borrows from the ask and the prompt. */
struct conversation {
    struct question question;
    char canary[NONCE_BYTES];
    bool is_suspicious;
    size_t unseen;     /* invisible characters that were removed */
    size_t turn_count; /* number of turns before the first retry */
    double temperature;
    int64_t max_tokens;
};

/* Build the question. Its max_tokens is that of the prompt or the ask; a provider's limit is
 * applied later. */
void conversation_start(const struct model_ask *ask, const struct prompt *prompt,
                        const struct shape *shape, struct conversation *conversation);
void conversation_free(struct conversation *conversation);

/* Append an answer that does not fit and the complaint, and set the temperature to 0 for the retry.
 */
void conversation_add_retry(struct conversation *conversation, const char *answer,
                            const char *complaint);

/* Remove such answers, for the next provider. */
void conversation_reset(struct conversation *conversation);

/* Whether an answer contains the canary, in any case and with any characters between its
 * letters. */
bool conversation_is_leaked(const struct conversation *conversation, struct text answer);
