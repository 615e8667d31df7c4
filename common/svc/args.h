/*
 * common/svc/args.h - read a job's arguments. The contract has checked them and filled defaults,
 * so asking for a field that the contract does not have, or by the wrong type, is a bug.
 */
#pragma once

#include "svc/job.h"

/* Is an optional field without default there? (null counts as absent) */
bool arg_has(const struct job *job, const char *name);

const char *arg_str(const struct job *job, const char *name);  /* NULL when absent */
struct text arg_text(const struct job *job, const char *name); /* may hold NUL; empty when absent */
int64_t arg_int(const struct job *job, const char *name);      /* 0 when absent */
double arg_num(const struct job *job, const char *name);
bool arg_bool(const struct job *job, const char *name);
const cJSON *arg_any(const struct job *job, const char *name); /* NULL when absent */
