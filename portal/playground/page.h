/*
 * portal/playground/page.h - the page of a tool with the form that runs it, and what came of a run.
 */
#pragma once

#include "portal/page/visit.h"
#include "svc/contract.h"

/* What the form shows. */
struct tool_page {
    const struct contract *contract;
    bool is_typed;   /* the fields show what visit->form has; else the contract's first example */
    bool is_raw;     /* it was the form of the raw request */
    const char *run; /* the id of the run that the form makes; NULL: a new one */
    cJSON *outcome;  /* of a run, as public/outcome.html shows it; taken over; NULL: none */
};

/* Show it. The balance is read for the button; without a database the page goes without. */
void tool_page_show(struct visit *visit, int status, struct tool_page *page);

visit_handler tool_show; /* /tools/{tool} */
visit_handler tool_run;  /* POST /tools/{tool}/run */

/* The value of a field of the visit's form; NULL when it has none: for playground/fields.h. */
const char *typed_in_form(const void *form, const char *field);
