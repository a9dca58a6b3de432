/* What the slot arrays of a table need and Swift has no word for: pages from the kernel, and waiting for a few
 * nanoseconds. Nothing else belongs here. */
#ifndef MODELCAST_CSLOTS_H
#define MODELCAST_CSLOTS_H

#include <stddef.h>
#include <stdint.h>

/* So many zeroed bytes, a multiple of the page size, or NULL. From 2 MiB on they begin at a multiple of that, and the
 * kernel is asked for huge pages. What has not been touched takes no memory. */
void *cslots_map(size_t byte_count);

/* Gives the memory of whole pages back; the addresses stay readable and writable, and hold zeros. */
void cslots_drop(void *address, size_t byte_count);

/* Gives the addresses back, too. */
void cslots_unmap(void *address, size_t byte_count);

/* Waits for another thread, which needs a few nanoseconds unless it is not running. `turn` counts the calls: first the
 * processor is told, then others get this thread's turn, at last it sleeps, lest one of lower priority never runs. */
void cslots_wait(uint32_t turn);

/* The size of a page. */
size_t cslots_page_size(void);

/* Nothing before it in the program is moved behind it, nor the other way: for what the compiler takes to be of no
 * concern to other threads. Costs nothing at run time. */
static inline void cslots_keep_order(void) { __asm__ volatile("" ::: "memory"); }

#endif
