/*
 * portal/playground/page.h - a tool's page, with the form that runs it and the outcome of a run.
 */
#pragma once

#include "portal/page/visit.h"
#include "svc/contract.h"

/* The state of the form. */
struct tool_page {
    const struct contract *contract;
    bool is_typed;   /* the fields show visit->form; otherwise the contract's first example */
    bool is_raw;     /* the raw request was sent */
    const char *run; /* the run id of the form; NULL: a new one */
    cJSON *outcome;  /* of a run, for public/outcome.html; taken over; or NULL */
};

/* Show it. The button shows the balance, unless the database fails. */
void tool_page_show(struct visit *visit, int status, struct tool_page *page);

visit_handler tool_show; /* /tools/{tool} */
visit_handler tool_run;  /* POST /tools/{tool}/run */

/* The value of a field of the visit's form, or NULL: for playground/fields.h. */
const char *typed_in_form(const void *form, const char *field);
