/*
 * svc-ai/model/question.h - from what a tool asks to what a model is told, hardened in one place:
 * the customer's text is material between marks that nobody can guess, options are JSON, and what
 * is ours carries a canary that no answer may hold.
 */
#pragma once

#include "model/model.h"
#include "model/prompt.h"
#include "model/wire/wire.h"

enum { NONCE_BYTES = 33 /* 128 random bits in hexadecimal, and a NUL */ };

/* By value; release with asked_free(). Borrows from the ask and the prompt. */
struct asked {
    struct question question;
    char canary[NONCE_BYTES];
    bool is_suspicious;
    size_t unseen;     /* invisible characters that the model does not get */
    size_t turn_count; /* what the question was before an answer did not fit */
    double temperature;
    int64_t max_tokens;
};

/* max_tokens of the question is the prompt's or the ask's; a provider's limit is put in later. */
void asked_make(const struct model_ask *ask, const struct prompt *prompt, const struct shape *shape,
                struct asked *asked);
void asked_free(struct asked *asked);

/* Append an answer that does not fit and what is wrong with it: ask to do better, coldly. */
void asked_again(struct asked *asked, const char *answer, const char *complaint);

/* Forget such answers: for the next provider. */
void asked_afresh(struct asked *asked);

/* Is the canary in an answer, whatever the case and what stands between its letters? */
bool asked_is_leaked(const struct asked *asked, struct text answer);
