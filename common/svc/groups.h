/* common/svc/groups.h - the groups of tools: what svc-<group>/group.yaml says to customers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "svc/contract.h"

/* A group with at least one tool. scripts/groups explains the other keys of group.yaml. */
struct tool_group {
    const char *name;  /* "utils" */
    const char *title; /* "Developer utilities" */
    int64_t order;     /* ascending position among the groups in lists for customers */
};

/*
 * The groups of these contracts, in order. Their names are borrowed from the contracts. directory
 * is the contracts' directory. Errors: ERR_INVALID_VALUE with the file.
 */
bool tool_groups_load(const char *directory, struct contract *const *contracts, size_t count,
                      struct tool_group **groups, size_t *group_count, struct err *err) must_check;
void tool_groups_free(struct tool_group **groups, size_t *group_count);
