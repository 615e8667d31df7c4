/*
 * common/svc/svc.h - the skeleton of a tool daemon: everything but its tools.
 */
#pragma once

#include "svc/job.h"

struct conf;

/* How the tools of a group go out to the world. Made by net/egress.h, which this layer does not
 * know: a group that needs it fills in egress_open, egress_close and egress_stray_count. */
struct outside {
    int64_t slots; /* jobs at once unless svc.concurrency says: one that waits for a site needs no
                    * core. Of tools that only compute, as many at once as there are processors */
    int niceness;  /* of job threads, nice(2): so many keep neither our own thread nor other
                    * processes from a core */
    bool (*open)(const struct conf *conf, struct egress **egress, struct err *err);
    void (*close)(struct egress **egress);
    uint64_t (*stray_count)(const struct egress *egress); /* for the metric of that name */
};

/*
 * Be the daemon of a group until SIGTERM: read tollgate.yaml (--config FILE), load the contracts of
 * the group and what its tools read from files (svc/data.h), connect to every gateway, run jobs on
 * `svc.concurrency` threads (0: as many as suit the group), drain, leave. Every tool must have its
 * contract and every contract its tool. SIGHUP reads the tools' files again. Returns the exit
 * status: 0 after a clean drain, 78 (EX_CONFIG of sysexits.h) for bad configuration.
 */
int svc_main(int argc, char **argv, const char *group, const struct tool *tools, size_t count);

/* The same for a group whose tools find the way out in job->egress. */
int svc_main_outside(int argc, char **argv, const char *group, const struct tool *tools,
                     size_t count, const struct outside *outside);
