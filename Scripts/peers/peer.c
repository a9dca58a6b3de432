#include "peer.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *program = "peer";
static volatile pid_t publisher_process;
// To the publisher, and from it.
static int to_publisher[2], from_publisher[2];

void peer_fail(const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s: %s\n", program, text);
    if (publisher_process > 0) kill(publisher_process, SIGKILL);
    _exit(1);
}

// MARK: Command line

static _Noreturn void usage(const char *const *kinds, const char *reason, const char *what) {
    fprintf(stderr, "%s: %s%s\nusage: %s ", program, reason, what, program);
    for (int i = 0; kinds[i] != NULL; i++) fprintf(stderr, "%s%s", i > 0 ? "|" : "", kinds[i]);
    fprintf(stderr, " --port N [--updates N] [--models N] [--window N] [--seconds-max N] [--storage file|memory]\n");
    exit(64);
}

peer_options peer_parse(int argc, char **argv, const char *const *kinds) {
    const char *slash = strrchr(argv[0], '/');
    program = slash != NULL ? slash + 1 : argv[0];
    peer_options options = {.updates = 500000, .models = 100000, .window = 4000, .seconds_max = 120};
    if (argc < 2) usage(kinds, "what is to be measured?", "");
    for (int i = 0; kinds[i] != NULL; i++) {
        if (strcmp(argv[1], kinds[i]) == 0) options.kind = kinds[i];
    }
    if (options.kind == NULL) usage(kinds, "not to be measured: ", argv[1]);
    uint32_t port = 0;
    const struct {
        const char *name;
        uint32_t *number;
        uint32_t greatest;
    } numbers[] = {
        {"--port", &port, 65535},
        {"--updates", &options.updates, 1000000000},
        {"--models", &options.models, 10000000},
        {"--window", &options.window, 1000000},
        {"--seconds-max", &options.seconds_max, 86400},
    };
    for (int i = 2; i < argc; i += 2) {
        if (i + 1 == argc) usage(kinds, "no value for ", argv[i]);
        bool known = false;
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
            if (strcmp(argv[i], numbers[n].name) != 0) continue;
            char *end;
            const unsigned long long number = strtoull(argv[i + 1], &end, 10);
            if (*end != 0 || argv[i + 1][0] == '-' || number == 0 || number > numbers[n].greatest)
                usage(kinds, "not a number in range: ", argv[i + 1]);
            *numbers[n].number = (uint32_t)number;
            known = true;
        }
        if (strcmp(argv[i], "--storage") == 0) {
            options.storage = argv[i + 1];
            known = strcmp(options.storage, "file") == 0 || strcmp(options.storage, "memory") == 0;
        }
        if (!known) usage(kinds, "not understood: ", argv[i]);
    }
    if (port == 0) usage(kinds, "--port is missing", "");
    options.port = (int)port;
    return options;
}

// MARK: Two processes

uint64_t peer_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void write_words(const char *text) {
    // Nothing is left to do about a stderr that is closed.
    if (write(STDERR_FILENO, program, strlen(program)) < 0 || write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

static void out_of_time(int number) {
    (void)number;
    write_words(": not through within --seconds-max\n");
    if (publisher_process > 0) kill(publisher_process, SIGKILL);
    _exit(1);
}

static void child_has_ended(int number) {
    (void)number;
    int status;
    const int saved = errno;
    if (waitpid(publisher_process, &status, WNOHANG) == publisher_process) {
        publisher_process = 0;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            write_words(": the publisher process has failed\n");
            _exit(1);
        }
    }
    errno = saved;
}

static void *await_parent(void *nothing) {
    char byte;
    while (read(STDIN_FILENO, &byte, 1) != 0) {}
    if (publisher_process > 0) kill(publisher_process, SIGKILL);
    _exit(1);
    return nothing;
}

// Ends with the process that has started this one, as all processes of the measurement do: its end closes the pipe.
static void end_with_parent(void) {
    struct stat input;
    pthread_t thread;
    if (fstat(STDIN_FILENO, &input) != 0 || !S_ISFIFO(input.st_mode)) return;
    // Signals are the main thread's.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, await_parent, NULL) != 0) peer_fail("no thread");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void peer_run(
    const peer_options *options, void (*publish)(const peer_options *), void (*subscribe)(const peer_options *)
) {
    if (pipe(to_publisher) != 0 || pipe(from_publisher) != 0) peer_fail("no pipe: %s", strerror(errno));
    signal(SIGPIPE, SIG_IGN);
    // Whoever has started this may have blocked signals.
    sigset_t ended, before;
    sigemptyset(&before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    // Before the fork, and kept back, so that no end is missed.
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, &before);
    struct sigaction on_end = {.sa_handler = child_has_ended, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    sigaction(SIGCHLD, &on_end, NULL);
    signal(SIGALRM, out_of_time);
    const pid_t parent = getpid();
    publisher_process = fork();
    if (publisher_process < 0) peer_fail("no second process: %s", strerror(errno));
    if (publisher_process == 0) {
        signal(SIGCHLD, SIG_DFL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        close(to_publisher[1]);
        close(from_publisher[0]);
        publish(options);
        _exit(0);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    // Of the parent alone: the child ends with it.
    alarm(options->seconds_max);
    close(to_publisher[0]);
    close(from_publisher[1]);
    end_with_parent();
    subscribe(options);
}

static void put(int pipe, const void *bytes, size_t count) {
    if (write(pipe, bytes, count) != (ssize_t)count) peer_fail("the other process has ended");
}

static void take(int pipe, void *bytes, size_t count) {
    for (size_t taken = 0; taken < count;) {
        const ssize_t got = read(pipe, (char *)bytes + taken, count - taken);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) peer_fail("the other process has ended before it should");
        taken += (size_t)got;
    }
}

static void put_mark(int pipe) { put(pipe, "", 1); }
static void take_mark(int pipe) {
    char mark;
    take(pipe, &mark, 1);
}

void peer_tell_filled(void) { put_mark(from_publisher[1]); }
void peer_await_filled(void) { take_mark(from_publisher[0]); }
void peer_tell_listening(void) { put_mark(to_publisher[1]); }
void peer_await_listening(void) { take_mark(to_publisher[0]); }
void peer_tell_sent(peer_sent sent) { put(from_publisher[1], &sent, sizeof sent); }
peer_sent peer_await_sent(void) {
    peer_sent sent;
    take(from_publisher[0], &sent, sizeof sent);
    return sent;
}
void peer_tell_through(void) {
    put_mark(to_publisher[1]);
    sigset_t ended, before;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, &before);
    while (publisher_process > 0) sigsuspend(&before);
    sigprocmask(SIG_SETMASK, &before, NULL);
}
void peer_await_through(void) { take_mark(to_publisher[0]); }

// MARK: The load

// SplitMix64.
static uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

uint32_t peer_below(peer_numbers *numbers, uint32_t bound) {
    numbers->state += 0x9E3779B97F4A7C15u;
    return (uint32_t)(((mixed(numbers->state) >> 32) * bound) >> 32);
}

void peer_id(uint32_t index, char *id) {
    const uint64_t rest = mixed(index), end = mixed(rest);
    snprintf(
        id, PEER_ID_BYTES + 1, "%08" PRIx32 "-%04x-%04x-%04x-%012" PRIx64, index, (unsigned)(rest & 0xFFFF),
        (unsigned)(rest >> 16 & 0xFFFF), (unsigned)(rest >> 32 & 0xFFFF), end & 0xFFFFFFFFFFFFu);
}

uint32_t peer_index(const char *id, uint64_t byte_count, uint32_t models) {
    uint32_t index = 0;
    bool good = byte_count == PEER_ID_BYTES;
    for (int i = 0; good && i < 8; i++) {
        const char c = id[i];
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        good = digit >= 0;
        index = index << 4 | (uint32_t)(digit & 15);
    }
    if (!good || index >= models) peer_fail("not the id of a model: %.*s", (int)byte_count, id);
    return index;
}

peer_copy peer_make_copy(uint32_t models, uint32_t fields) {
    peer_copy copy = {models, fields, calloc((size_t)models * fields, sizeof(uint32_t))};
    if (copy.numbers == NULL) peer_fail("no memory for %" PRIu32 " models", models);
    return copy;
}

uint64_t peer_digest(const peer_copy *copy) {
    uint64_t digest = 0;
    const uint64_t count = (uint64_t)copy->models * copy->fields;
    for (uint64_t i = 0; i < count; i++) digest = mixed(digest ^ copy->numbers[i]) + i;
    return digest;
}

void peer_print(const peer_measured *measured) {
    const double seconds = (double)(measured->end_nanoseconds - measured->start_nanoseconds) / 1e9;
    printf(
        "{\"server\":\"%s %s\",\"client\":\"%s %s\",\"updates\":%" PRIu32 ",\"received\":%" PRIu32
        ",\"fetched\":%" PRIu32 ",\"seconds\":%.6f,\"perSecond\":%.0f}\n",
        measured->server_name, measured->server_version, measured->client_name, measured->client_version,
        measured->updates, measured->received, measured->fetched, seconds, measured->updates / seconds);
    if (fflush(stdout) != 0) peer_fail("nobody reads the figures");
}
