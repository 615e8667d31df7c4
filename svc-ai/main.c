/* svc-ai/main.c - the worker of the AI tools. It calls only the providers that the operator
 * configured, through model/. */
#include <sys/prctl.h>

#include "base/scoped.h"
#include "model/model.h"
#include "net/egress.h"
#include "svc/svc.h"
#include "tools.h"

static const struct tool tools[] = { TOOL_ROWS };

static const struct outside outside = { .slots = 256,
                                        .niceness = 10,
                                        .open = egress_open,
                                        .close = egress_close,
                                        .stray_count = egress_stray_count };

int main(int argc, char **argv)
{
    prctl(PR_SET_DUMPABLE, 0); /* memory holds the providers' keys: never dump core */
    return svc_main_outside(argc, argv, "ai", tools, countof(tools), &outside);
}
