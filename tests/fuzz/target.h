/* tests/fuzz/target.h - what a fuzz target defines: libFuzzer's entry point. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Read one input; abort when it breaks a promise. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
