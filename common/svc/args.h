/*
 * common/svc/args.h - reads a job's arguments. The contract has checked them and filled in
 * defaults, so it is a bug to read a field that the contract does not have, or to read it with
 * another type.
 */
#pragma once

#include "svc/job.h"

/* Is an optional field without a default present? (null counts as absent) */
bool arg_has(const struct job *job, const char *name);

const char *arg_str(const struct job *job, const char *name); /* NULL if absent */
struct text arg_text(const struct job *job,
                     const char *name);                   /* may contain NUL; empty if absent */
int64_t arg_int(const struct job *job, const char *name); /* 0 if absent */
double arg_num(const struct job *job, const char *name);
bool arg_bool(const struct job *job, const char *name);
const cJSON *arg_any(const struct job *job, const char *name); /* NULL if absent */
