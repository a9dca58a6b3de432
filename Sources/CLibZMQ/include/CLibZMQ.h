/* What Swift cannot say to libzmq directly, as documented inline functions. Nothing else belongs here.
 *
 * One convention: a shim that can fail returns the negated error number, read before anything else can
 * run, where libzmq returns -1 and leaves the number in errno. Swift code must never read errno itself: the
 * compiler is free to release objects between the call and the read.
 */
#ifndef MODELCAST_CLIBZMQ_H
#define MODELCAST_CLIBZMQ_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ppoll */
#endif
#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#if ZMQ_VERSION < ZMQ_MAKE_VERSION(4, 3, 4)
#error "Modelcast needs libzmq 4.3.4 or later (Debian: libzmq3-dev)"
#endif

/* Compiled in every release since 4.3.0, but its name is published for draft builds only. */
#define CLIBZMQ_ZAP_ENFORCE_DOMAIN 93

/* Turns "-1 and errno" into the negated error number. */
static inline int clibzmq_result(int result) { return result == -1 ? -zmq_errno() : result; }

/* ---- messages ------------------------------------------------------------------------------------ */

/* The same bytes as zmq_msg_t, as eight words: Swift sees the array as a tuple, and a tuple of 64 bytes
 * is moved byte by byte. libzmq itself moves messages as plain bytes (msg_t::move, its queues), so moving
 * one between calls is sound; only the content of a small message moves with it. */
typedef struct {
    uint64_t words[8];
} clibzmq_message;

_Static_assert(sizeof(clibzmq_message) == sizeof(zmq_msg_t), "zmq_msg_t has another size");
_Static_assert(_Alignof(clibzmq_message) >= _Alignof(zmq_msg_t), "zmq_msg_t has another alignment");

static inline void clibzmq_message_init(clibzmq_message *message) { (void)zmq_msg_init((zmq_msg_t *)message); }

static inline int clibzmq_message_init_size(clibzmq_message *message, size_t size) {
    return clibzmq_result(zmq_msg_init_size((zmq_msg_t *)message, size));
}

/* `release(data, hint)` runs once, on any thread, when libzmq no longer needs the bytes. */
static inline int clibzmq_message_init_data(
    clibzmq_message *message, void *data, size_t size, zmq_free_fn *release, void *hint) {
    return clibzmq_result(zmq_msg_init_data((zmq_msg_t *)message, data, size, release, hint));
}

static inline void clibzmq_message_close(clibzmq_message *message) { (void)zmq_msg_close((zmq_msg_t *)message); }

/* `target` must be initialized; both then share the content. */
static inline int clibzmq_message_copy(clibzmq_message *target, clibzmq_message *source) {
    return clibzmq_result(zmq_msg_copy((zmq_msg_t *)target, (zmq_msg_t *)source));
}

/* libzmq asks for a mutable pointer but changes nothing: the cast drops const for its signature only. */
static inline const void *clibzmq_message_data(const clibzmq_message *message) {
    return zmq_msg_data((zmq_msg_t *)(uintptr_t)message);
}

static inline void *clibzmq_message_mutable_data(clibzmq_message *message) {
    return zmq_msg_data((zmq_msg_t *)message);
}

static inline size_t clibzmq_message_size(const clibzmq_message *message) {
    return zmq_msg_size((const zmq_msg_t *)message);
}

static inline int clibzmq_message_more(const clibzmq_message *message) {
    return zmq_msg_more((const zmq_msg_t *)message);
}

/* The descriptor of the connection that a message was received by; negative where there is none. */
static inline int clibzmq_message_descriptor(const clibzmq_message *message) {
    return zmq_msg_get((const zmq_msg_t *)message, ZMQ_SRCFD);
}

/* The user id that the ZAP handler gave the peer that sent the message; null where there is none. The text belongs to
   the message. */
static inline const char *clibzmq_message_user(const clibzmq_message *message) {
    return zmq_msg_gets((const zmq_msg_t *)message, "User-Id");
}

/* The address from which the peer that sent the message has connected; null where none is known. */
static inline const char *clibzmq_message_address(const clibzmq_message *message) {
    return zmq_msg_gets((const zmq_msg_t *)message, "Peer-Address");
}

static inline int clibzmq_message_send(clibzmq_message *message, void *socket, int flags) {
    return clibzmq_result(zmq_msg_send((zmq_msg_t *)message, socket, flags));
}

static inline int clibzmq_message_receive(clibzmq_message *message, void *socket, int flags) {
    return clibzmq_result(zmq_msg_recv((zmq_msg_t *)message, socket, flags));
}

/* Free memory goes back to the system, also from between what is in use; nothing where there is no such call. */
static inline void clibzmq_give_memory_back(void) {
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

/* ---- sockets ------------------------------------------------------------------------------------- */

static inline int clibzmq_bind(void *socket, const char *endpoint) {
    return clibzmq_result(zmq_bind(socket, endpoint));
}

static inline int clibzmq_unbind(void *socket, const char *endpoint) {
    return clibzmq_result(zmq_unbind(socket, endpoint));
}

static inline int clibzmq_connect(void *socket, const char *endpoint) {
    return clibzmq_result(zmq_connect(socket, endpoint));
}

static inline int clibzmq_disconnect(void *socket, const char *endpoint) {
    return clibzmq_result(zmq_disconnect(socket, endpoint));
}

static inline int clibzmq_set(void *socket, int option, const void *value, size_t size) {
    return clibzmq_result(zmq_setsockopt(socket, option, value, size));
}

static inline int clibzmq_get(void *socket, int option, void *value, size_t *size) {
    return clibzmq_result(zmq_getsockopt(socket, option, value, size));
}

/* Runs what other threads left for the socket and returns its ZMQ_POLLIN | ZMQ_POLLOUT bits. */
static inline int clibzmq_events(void *socket) {
    int events = 0;
    size_t size = sizeof events;
    int result = zmq_getsockopt(socket, ZMQ_EVENTS, &events, &size);
    return result == -1 ? -zmq_errno() : events;
}

/* ---- files of ipc endpoints ---------------------------------------------------------------------- */

/* Which file it is, whatever its name. */
typedef struct {
    uint64_t device;
    uint64_t inode;
} clibzmq_file;

/* Tells which file stands at `path`: 1 for a socket, 0 for anything else, a link included. */
int clibzmq_file_look(const char *path, clibzmq_file *file);

/* A descriptor that listens at a numeric address of IPv4 or IPv6, without brackets; 0 is any free port. -EINVAL where
 * the text is no such address. */
int clibzmq_network_listen(const char *address, uint16_t port, int backlog);

/* A descriptor that listens at `path`, and the file that was made for it. Anything that stands there makes it fail
 * with EADDRINUSE. */
int clibzmq_local_listen(const char *path, int backlog, clibzmq_file *file);

/* Whether anybody listens at `path`: zero, or why a connection was refused. Never waits. */
int clibzmq_local_probe(const char *path);

/* Locks a directory against others that do the same, until the descriptor is closed; waits at most a second. */
int clibzmq_directory_lock(const char *path);

static inline int clibzmq_file_remove(const char *path) { return unlink(path) == -1 ? -errno : 0; }

static inline void clibzmq_descriptor_close(int descriptor) { (void)close(descriptor); }

/* ---- connections --------------------------------------------------------------------------------- */

/* What the system calls the socket behind a descriptor; 0 where there is none. */
uint64_t clibzmq_socket_number(int descriptor);

/* Shuts a connection down for both sides, if the descriptor is still that socket: libzmq's thread may close it, and
 * another be opened, at any time. */
int clibzmq_socket_cut(int descriptor, uint64_t number);

/* How many bytes this process has read from a connection over TCP, if the descriptor is still that socket; 0 where the
 * system does not tell. */
uint64_t clibzmq_socket_taken(int descriptor, uint64_t number);

/* Lets no more than so many bytes wait unsent in the system for a connection over TCP, if the descriptor is still that
 * socket. What has been sent and not acknowledged is not counted. */
int clibzmq_socket_bound(int descriptor, uint64_t number, int bytes);

/* ---- monitors ------------------------------------------------------------------------------------ */

/* `endpoint` NULL ends the monitoring. */
static inline int clibzmq_monitor(void *socket, const char *endpoint, int events) {
    return clibzmq_result(zmq_socket_monitor(socket, endpoint, events));
}

static inline int clibzmq_context_set(void *context, int option, int value) {
    return clibzmq_result(zmq_ctx_set(context, option, value));
}

static inline int clibzmq_context_terminate(void *context) { return clibzmq_result(zmq_ctx_term(context)); }

/* ---- waiting ------------------------------------------------------------------------------------- */

/* Waits on plain descriptors; a negative number of nanoseconds waits for ever. */
static inline int clibzmq_wait(struct pollfd *descriptors, size_t count, int64_t nanoseconds) {
    struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    int result = ppoll(descriptors, count, nanoseconds < 0 ? NULL : &limit, NULL);
    return result == -1 ? -errno : result;
}

static inline int clibzmq_eventfd_open(void) {
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return descriptor == -1 ? -errno : descriptor;
}

/* Makes the descriptor readable. It fails only when it is readable already, so there is no result. */
static inline void clibzmq_eventfd_signal(int descriptor) {
    while (eventfd_write(descriptor, 1) == -1 && errno == EINTR) {
    }
}

/* Makes the descriptor unreadable. It fails only when it is so already. */
static inline void clibzmq_eventfd_drain(int descriptor) {
    eventfd_t count;
    while (eventfd_read(descriptor, &count) == -1 && errno == EINTR) {
    }
}

static inline void clibzmq_eventfd_close(int descriptor) { (void)close(descriptor); }

/* ---- threads ------------------------------------------------------------------------------------- */

/* Ends the timed waits of the calling thread on time. By default Linux makes them up to 50 us longer, to wake for
 * several threads at once. Threads that this one makes are treated likewise. */
static inline void clibzmq_sharpen_timers(void) {
#ifdef __linux__
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
#endif
}

#endif
