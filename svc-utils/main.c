/* svc-utils/main.c - the worker of the developer utilities: pure functions, no network, no
 * state. */
#include "base/scoped.h"
#include "svc/svc.h"
#include "tools.h"

static const struct tool tools[] = { TOOL_ROWS };

int main(int argc, char **argv)
{
    return svc_main(argc, argv, "utils", tools, countof(tools));
}
