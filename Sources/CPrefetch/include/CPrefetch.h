/* What Swift has no word for: asking the processor for memory that will be read or written soon. Nothing else belongs
 * here. */
#ifndef MODELCAST_CPREFETCH_H
#define MODELCAST_CPREFETCH_H

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

#endif
