/* svc-security/main.c - the worker of the security and website tools. All egress goes through net/
 * and its guard. */
#include "base/scoped.h"
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
    return svc_main_outside(argc, argv, "security", tools, countof(tools), &outside);
}
