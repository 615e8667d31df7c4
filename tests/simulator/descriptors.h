/*
 * tests/simulator/descriptors.h - descriptors that exist only in the simulation: the wrapped poll()
 * and eventfd() know them.
 */
#pragma once

#include <stdbool.h>

/* A new descriptor that is not ready. It is an eventfd, or a socket of the simulation. */
int descriptor_new(void);
void descriptor_free(int descriptor);

/* Make it ready for POLLIN, or not; tasks that poll it wake. */
void descriptor_set(int descriptor, bool is_ready);

/* Forget all descriptors of the last schedule. */
void descriptors_reset(void);
