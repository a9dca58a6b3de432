/* What the slot arrays of a table need and Swift has no word for: pages from the kernel, and waiting for a few
 * nanoseconds. Nothing else belongs here. All of it is inline, as valgrind cannot read what clang tells debuggers of
 * C that is compiled by itself. */
#ifndef MODELCAST_CSLOTS_H
#define MODELCAST_CSLOTS_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* The size of a page. */
static inline size_t cslots_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* So many zeroed bytes, a multiple of the page size, or NULL. From 2 MiB on they begin at a multiple of that, and the
 * kernel is asked for huge pages. What has not been touched takes no memory. */
static inline void *cslots_map(size_t byte_count) {
    const size_t huge = (size_t)2 << 20;
    const size_t slack = byte_count >= huge ? huge : 0;
    if (byte_count > SIZE_MAX - slack) return NULL;
    void *mapped = mmap(NULL, byte_count + slack, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return NULL;
    if (slack == 0) return mapped;
    char *start = (char *)mapped;
    const size_t front = (huge - ((uintptr_t)start & (huge - 1))) & (huge - 1);
    if (front > 0) munmap(start, front);
    if (slack > front) munmap(start + front + byte_count, slack - front);
#ifdef MADV_HUGEPAGE
    madvise(start + front, byte_count, MADV_HUGEPAGE);
#endif
    return start + front;
}

/* Gives the memory of whole pages back; the addresses stay readable and writable, and hold zeros. */
static inline void cslots_drop(void *address, size_t byte_count) {
#ifdef __linux__
    madvise(address, byte_count, MADV_DONTNEED);
#else
    mmap(address, byte_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
#endif
}

/* Gives the addresses back, too. */
static inline void cslots_unmap(void *address, size_t byte_count) { munmap(address, byte_count); }

/* Waits for another thread, which needs a few nanoseconds unless it is not running. `turn` counts the calls: first the
 * processor is told, then others get this thread's turn, at last it sleeps, lest one of lower priority never runs. */
static inline void cslots_wait(uint32_t turn) {
    if (turn < 32) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("isb" ::: "memory");
#endif
    } else if (turn < 512) {
        sched_yield();
    } else {
        const struct timespec nap = {0, 50000};
        nanosleep(&nap, NULL);
    }
}

/* Nothing before it in the program is moved behind it, nor the other way: for what the compiler takes to be of no
 * concern to other threads. Costs nothing at run time. */
static inline void cslots_keep_order(void) { __asm__ volatile("" ::: "memory"); }

#endif
