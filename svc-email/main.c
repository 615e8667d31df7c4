/* svc-email/main.c - the daemon of the email tools. What they learn about a domain they ask the DNS
 * through net/; mail itself is read here and goes nowhere. */
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
    return svc_main_outside(argc, argv, "email", tools, countof(tools), &outside);
}
