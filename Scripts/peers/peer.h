// What the drivers of `modelcast bench --only peers` share: two processes, a clock, a load and one line of output.
//
// A driver is a program of its own, no target of the package: Scripts/bench-peers compiles it where the library of its
// server is installed, and the package needs none of them. It measures once and ends:
//
//   stdout  one line of JSON, only where everything has arrived
//   stderr  one line that says why it has not
//   exit    0 measured, 1 something failed or was lost, 64 the command line is wrong
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stdint.h>

// Fields of a model, as in Modelcast's own load.
#define PEER_FIELD_COUNT 10
// Bytes of a message or value that is not made of fields, as a message of raw libzmq in the same measurement.
#define PEER_PAYLOAD_BYTES 100
// Characters of an id, which looks like a UUID.
#define PEER_ID_BYTES 36

// The command line: PROGRAM KIND --port N [--updates N] [--models N] [--window N] [--seconds-max N] [--storage KIND].
typedef struct {
    const char *kind;
    int port;
    uint32_t updates;
    uint32_t models;
    // How many requests may wait for their answers.
    uint32_t window;
    uint32_t seconds_max;
    // Of a server that can keep its data here or there; NULL where it was not given.
    const char *storage;
} peer_options;

// Reads the command line; ends the process with exit code 64 where it is wrong.
// - kinds: what this driver can measure, NULL at the end.
peer_options peer_parse(int argc, char **argv, const char *const *kinds);

// Ends this process, and with it the measurement, with one line on stderr.
_Noreturn void peer_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// CLOCK_MONOTONIC, the same in both processes.
uint64_t peer_nanoseconds(void);

// What the publisher tells the subscriber when it is through.
typedef struct {
    uint64_t start_nanoseconds;
    // Of the models as the publisher has left them.
    uint64_t digest;
} peer_sent;

// The two processes. Forks before any library has started a thread: `publish` runs in the child, `subscribe` in the
// parent. If one fails, so does the other; none outlives the other, `seconds_max`, or the end of stdin where that is a
// pipe.
void peer_run(
    const peer_options *options, void (*publish)(const peer_options *), void (*subscribe)(const peer_options *));

// Both wait for each other at four points, in this order: the models are there; the subscriber has seen them and
// listens; the publisher is through; the subscriber has everything, and waits until the publisher has tidied up.
void peer_tell_filled(void);
void peer_await_filled(void);
void peer_tell_listening(void);
void peer_await_listening(void);
void peer_tell_sent(peer_sent sent);
peer_sent peer_await_sent(void);
void peer_tell_through(void);
void peer_await_through(void);

// Numbers from a seed: the same updates in every run.
typedef struct {
    uint64_t state;
} peer_numbers;
uint32_t peer_below(peer_numbers *numbers, uint32_t bound);

// The id of a model, PEER_ID_BYTES characters and a zero. It begins with the index: nothing has to be looked up.
void peer_id(uint32_t index, char *id);
// The index in an id; ends the process where it is none, or not below `models`.
uint32_t peer_index(const char *id, uint64_t byte_count, uint32_t models);

// For each model and field the number of the update that set it last: what is compared at the end.
typedef struct {
    uint32_t models;
    uint32_t fields;
    uint32_t *numbers;
} peer_copy;
peer_copy peer_make_copy(uint32_t models, uint32_t fields);
static inline void peer_set(peer_copy *copy, uint32_t model, uint32_t field, uint32_t number) {
    copy->numbers[(uint64_t)model * copy->fields + field] = number;
}
uint64_t peer_digest(const peer_copy *copy);

// The numbers of a measurement.
typedef struct {
    // Whose figure it is.
    const char *server_name, *server_version, *client_name, *client_version;
    uint64_t start_nanoseconds, end_nanoseconds;
    uint32_t updates;
    // Messages, invalidations or values that came to the subscriber.
    uint32_t received;
    // Models that it had to ask for.
    uint32_t fetched;
} peer_measured;
void peer_print(const peer_measured *measured);

#endif
