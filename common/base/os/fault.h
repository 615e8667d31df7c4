/*
 * common/base/os/fault.h - places at which the tests let the gateway die.
 *
 * In the gateway it is nothing. In tollgate-gateway-faults, which only the tests have, the
 * environment variable FAULT_POINT=name:count kills the process, as kill -9 does, when it comes to
 * the place of that name for the count-th time.
 */
#pragma once

#ifdef WITH_FAULT_POINTS
void fault_point(const char *name);
#define FAULT_POINT(name) fault_point(name)
#else
#define FAULT_POINT(name) ((void)0)
#endif
