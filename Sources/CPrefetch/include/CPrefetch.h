/* What Swift has no word for: asking the processor for memory that will be read or written soon. Nothing else belongs
 * here. */
#ifndef MODELCAST_CPREFETCH_H
#define MODELCAST_CPREFETCH_H

#include <stddef.h>
#include <stdint.h>

/* Asks for the cache line of `address`, which is to be read; does not wait for it. Any address whatever is allowed:
 * one that cannot be read is ignored. */
static inline void cprefetch(const void *address) { __builtin_prefetch(address, 0, 3); }

/* The same of a line that is to be written: other cores give it up. The compiler's own way asks for reading where it is
 * not told that the processor has the instruction; those that do not have it pass over it. */
static inline void cprefetch_to_write(const void *address) {
#if defined(__x86_64__)
    __asm__ volatile("prefetchw (%0)" : : "r"(address));
#else
    __builtin_prefetch(address, 1, 3);
#endif
}

/* The same of the line so many bytes behind `address`, which may lie past the end of what was allocated: nothing is
 * written there. */
static inline void cprefetch_ahead_to_write(const void *address, ptrdiff_t byte_count) {
    cprefetch_to_write((const void *)((uintptr_t)address + (uintptr_t)byte_count));
}

#endif
