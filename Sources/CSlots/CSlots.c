#define _GNU_SOURCE
#include "CSlots.h"

#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const size_t hugePage = (size_t)2 << 20;

void *cslots_map(size_t byte_count) {
    size_t slack = byte_count >= hugePage ? hugePage : 0;
    if (byte_count > SIZE_MAX - slack) return NULL;
    char *start = mmap(NULL, byte_count + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                       -1, 0);
    if (start == MAP_FAILED) return NULL;
    if (slack == 0) return start;
    size_t front = (hugePage - ((uintptr_t)start & (hugePage - 1))) & (hugePage - 1);
    if (front > 0) munmap(start, front);
    if (slack > front) munmap(start + front + byte_count, slack - front);
#ifdef MADV_HUGEPAGE
    madvise(start + front, byte_count, MADV_HUGEPAGE);
#endif
    return start + front;
}

void cslots_drop(void *address, size_t byte_count) {
#ifdef __linux__
    madvise(address, byte_count, MADV_DONTNEED);
#else
    mmap(address, byte_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
#endif
}

void cslots_unmap(void *address, size_t byte_count) { munmap(address, byte_count); }

void cslots_wait(uint32_t turn) {
    if (turn < 32) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("isb" ::: "memory");
#endif
    } else if (turn < 512) {
        sched_yield();
    } else {
        struct timespec nap = {0, 50000};
        nanosleep(&nap, NULL);
    }
}

size_t cslots_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }
