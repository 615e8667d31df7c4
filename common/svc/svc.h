/* common/svc/svc.h - the skeleton of a worker: everything except its tools. */
#pragma once

#include "svc/job.h"

struct conf;

/*
 * Outbound access for the tools of a group. Made by net/egress.h, which this layer does not
 * include: a group that needs it sets egress_open, egress_close and egress_stray_count.
 */
struct outside {
    int64_t slots; /* concurrent jobs if svc.concurrency is 0: a job that waits for a site needs no
                      core. Of tools that only compute, at most the number of CPUs run at once */
    int niceness;  /* of job threads, nice(2), so that they do not delay the I/O thread or other
                      processes */
    bool (*open)(const struct conf *conf, struct egress **egress, struct err *err);
    void (*close)(struct egress **egress);
    uint64_t (*stray_count)(
        const struct egress *egress); /* for tollgate_egress_blocked_connections */
};

/*
 * Run the worker of a group until SIGTERM.
 *
 * 1. Read tollgate.yaml (--config FILE), the group's contracts, and the tools' files (svc/data.h).
 *    Every tool must have a contract, and every contract a tool.
 * 2. Connect to every gateway.
 * 3. Run jobs on `svc.concurrency` threads (0: a default for the group). SIGHUP reads the tools'
 *    files again.
 * 4. At SIGTERM, drain and leave.
 *
 * Returns the exit status: 0 after a clean drain, 78 (EX_CONFIG of sysexits.h) for invalid
 * configuration.
 */
int svc_main(int argc, char **argv, const char *group, const struct tool *tools, size_t count);

/* The same for a group with outbound access, which tools find in job->egress. */
int svc_main_outside(int argc, char **argv, const char *group, const struct tool *tools,
                     size_t count, const struct outside *outside);
