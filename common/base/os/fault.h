/*
 * common/base/os/fault.h - places where tests can kill the gateway.
 *
 * In the gateway these are empty. In tollgate-gateway-faults, which only tests use, the environment
 * variable FAULT_POINT=name:count kills the process (as kill -9) when it reaches that place for the
 * count-th time.
 */
#pragma once

#ifdef WITH_FAULT_POINTS
void fault_point(const char *name);
#define FAULT_POINT(name) fault_point(name)
#else
#define FAULT_POINT(name) ((void)0)
#endif
