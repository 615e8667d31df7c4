/*
 * common/svc/svc.h - the skeleton of a tool daemon: everything but its tools.
 */
#ifndef SVC_SVC_H
#define SVC_SVC_H

#include "svc/job.h"

/*
 * Be the daemon of a group until SIGTERM: read tollgate.yaml (--config FILE), load the contracts of
 * the group and what its tools read from files (svc/data.h), connect to every gateway, run jobs on
 * `svc.slots` threads, drain, leave. Every tool must have its contract and every contract its tool.
 * SIGHUP reads the tools' files again. Returns the exit status: 0 after a clean drain, 78
 * (EX_CONFIG of sysexits.h) for bad configuration.
 */
int svc_main(int argc, char **argv, const char *group, const struct tool *tools, size_t count);

#endif
