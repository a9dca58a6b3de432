/* What Swift has no word for: asking the processor for memory that will be read soon. Nothing else belongs here. */
#ifndef MODELCAST_CPREFETCH_H
#define MODELCAST_CPREFETCH_H

/* Asks for the cache line of `address`, which is to be read; does not wait for it. Any address whatever is allowed:
 * one that cannot be read is ignored. */
static inline void cprefetch(const void *address) { __builtin_prefetch(address, 0, 3); }

#endif
