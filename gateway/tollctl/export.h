/*
 * gateway/tollctl/export.h - all data about an account and its member, as the member downloads it.
 */
#pragma once

#include "gateway/tollctl/tollctl.h"

/* The commands `account export` and `member export`: print the document. */
bool export_account(struct tollctl *ctl, cJSON *answer, struct err *err) must_check;
bool export_member(struct tollctl *ctl, cJSON *answer, struct err *err) must_check;
