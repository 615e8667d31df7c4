/* tests/simulator/large.c - gateway/ledger/large-response.h on the model, which stores no bytes. */
#include "gateway/ledger/large-response.h"

#include "world.h"

bool large_response_store(struct large_responses *responses, const struct uuid *account,
                          const struct uuid *hold, struct text response, struct err *err)
{
    (void)responses;
    (void)account;
    (void)hold;
    (void)response;
    return err_set(err, ERR_INTERNAL, "no tool of the simulation has large responses");
}

bool large_response_load(struct large_responses *responses, const struct large_response_key *key,
                         struct memory_budget *budget, struct reservation *reservation,
                         struct buf *out, struct err *err)
{
    (void)responses;
    (void)key;
    (void)budget;
    (void)reservation;
    (void)out;
    return err_set(err, ERR_INTERNAL, "no tool of the simulation has large responses");
}
