/*
 * common/svc/groups.h - the groups that tools belong to: what svc-<group>/group.yaml tells
 * customers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "svc/contract.h"

/* A group that has a tool; scripts/groups says what else its group.yaml tells, and to whom. */
struct tool_group {
    const char *name;  /* "utils" */
    const char *title; /* "Developer utilities" */
    int64_t order;     /* of the groups where customers see them, ascending */
};

/* The groups of these contracts, in their order; the names are the contracts', which must outlive
 * them. directory is that of the contracts. Errors: ERR_INVALID_VALUE with the file. */
bool tool_groups_load(const char *directory, struct contract *const *contracts, size_t count,
                      struct tool_group **groups, size_t *group_count, struct err *err) must_check;
void tool_groups_free(struct tool_group **groups, size_t *group_count);
