// Redis beside Modelcast, driven by hiredis: `redis-peer publish` and `redis-peer hash`.
//
// publish: PUBLISH of 100 bytes, pipelined, to one SUBSCRIBE client in another process, which checks the number in
// each message. Nothing is kept by the server, and a subscriber that is away misses what is sent.
//
// hash: HSET of two fields of ten letters in one of the models, hashes of ten fields, chosen at random, pipelined. The
// other process holds a copy of all of them: CLIENT TRACKING in broadcast mode tells it which keys have changed, not
// what has, so it fetches each of those hashes again, pipelined. The update counts when the copy has it; at the end
// both copies are compared. Keys that change several times before they are fetched are fetched once.
#include "peer.h"

#include <hiredis/hiredis.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANNEL "bench"
#define PREFIX "bench:"
#define PREFIX_BYTES (sizeof PREFIX - 1)
#define KEY_BYTES (PREFIX_BYTES + PEER_ID_BYTES)
// Set after everything else: when it is seen, everything was.
#define END_KEY PREFIX "end"
#define VALUE_BYTES 10
// Invalidated keys that are fetched together.
#define FETCH_MOST 4096

static const char *const field_names[PEER_FIELD_COUNT] = {
    "display_name", "home_country", "mail_address", "phone_number", "street_line1",
    "street_line2", "account_kind", "account_note", "preferred_by", "last_contact",
};

static char server_version[32];

static redisContext *connect_to(const peer_options *options) {
    redisContext *redis = redisConnect("127.0.0.1", options->port);
    if (redis == NULL || redis->err != 0)
        peer_fail("no Redis at 127.0.0.1:%d: %s", options->port, redis != NULL ? redis->errstr : "no memory");
    return redis;
}

// The next reply, which is not an error.
static redisReply *next_reply(redisContext *redis) {
    void *reply;
    if (redisGetReply(redis, &reply) != REDIS_OK) peer_fail("Redis has ended the connection: %s", redis->errstr);
    if (((redisReply *)reply)->type == REDIS_REPLY_ERROR) peer_fail("Redis: %s", ((redisReply *)reply)->str);
    return reply;
}

static redisReply *command(redisContext *redis, const char *text) {
    if (redisAppendCommand(redis, text) != REDIS_OK) peer_fail("no command %s: %s", text, redis->errstr);
    return next_reply(redis);
}

static void append(redisContext *redis, int count, const char **words, const size_t *byte_counts) {
    if (redisAppendCommandArgv(redis, count, words, byte_counts) != REDIS_OK)
        peer_fail("no room for a command: %s", redis->errstr);
}

static void flush(redisContext *redis) {
    int done = 0;
    while (!done) {
        if (redisBufferWrite(redis, &done) != REDIS_OK)
            peer_fail("Redis has ended the connection: %s", redis->errstr);
    }
}

static void read_server_version(redisContext *redis) {
    redisReply *reply = command(redis, "INFO server");
    const char *found = reply->str != NULL ? strstr(reply->str, "redis_version:") : NULL;
    if (found == NULL || sscanf(found, "redis_version:%31[0-9A-Za-z.-]", server_version) != 1)
        peer_fail("Redis does not tell its version");
    freeReplyObject(reply);
}

static void print(peer_measured measured) {
    char client[32];
    snprintf(client, sizeof client, "%d.%d.%d", HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH);
    measured.server_name = "Redis";
    measured.server_version = server_version;
    measured.client_name = "hiredis";
    measured.client_version = client;
    peer_print(&measured);
}

// MARK: Requests, of which two windows are on their way

// Appends request number `index`.
typedef void append_request(redisContext *redis, uint32_t index, void *context);
typedef void take_reply(const redisReply *reply, uint32_t index);

// The next window is written before the replies to the one before are read, so that the server is never idle.
static void pipeline(
    redisContext *redis, uint32_t count, uint32_t window, append_request *request, void *context, take_reply *take
) {
    uint32_t sent = 0, answered = 0;
    while (answered < count) {
        const uint32_t end = count - sent < window ? count : sent + window, written = sent;
        for (; sent < end; sent++) request(redis, sent, context);
        flush(redis);
        for (const uint32_t due = written < count ? written : count; answered < due; answered++) {
            redisReply *reply = next_reply(redis);
            take(reply, answered);
            freeReplyObject(reply);
        }
    }
}

// MARK: publish

static void append_publish(redisContext *redis, uint32_t index, void *context) {
    char *payload = context;
    memcpy(payload, &index, sizeof index);
    const char *words[] = {"PUBLISH", CHANNEL, payload};
    const size_t byte_counts[] = {7, sizeof CHANNEL - 1, PEER_PAYLOAD_BYTES};
    append(redis, 3, words, byte_counts);
}

static void expect_one_receiver(const redisReply *reply, uint32_t index) {
    if (reply->type != REDIS_REPLY_INTEGER || reply->integer != 1)
        peer_fail("message %u has reached %lld subscribers, not one", index, reply->integer);
}

static void publisher(const peer_options *options) {
    redisContext *redis = connect_to(options);
    peer_tell_filled();
    peer_await_listening();
    char payload[PEER_PAYLOAD_BYTES];
    memset(payload, 'x', sizeof payload);
    const uint64_t start = peer_nanoseconds();
    pipeline(redis, options->updates, options->window, append_publish, payload, expect_one_receiver);
    peer_tell_sent((peer_sent){start, 0});
    peer_await_through();
    redisFree(redis);
}

static void subscriber(const peer_options *options) {
    peer_await_filled();
    redisContext *redis = connect_to(options);
    read_server_version(redis);
    freeReplyObject(command(redis, "SUBSCRIBE " CHANNEL));
    peer_tell_listening();
    for (uint32_t index = 0; index < options->updates; index++) {
        redisReply *reply = next_reply(redis);
        if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 3 || reply->element[2]->type != REDIS_REPLY_STRING ||
            reply->element[2]->len != PEER_PAYLOAD_BYTES)
            peer_fail("what has come is no message of %d bytes", PEER_PAYLOAD_BYTES);
        uint32_t number;
        memcpy(&number, reply->element[2]->str, sizeof number);
        if (number != index) peer_fail("message %u has been lost: %u came instead", index, number);
        freeReplyObject(reply);
    }
    const uint64_t end = peer_nanoseconds();
    const peer_sent sent = peer_await_sent();
    peer_tell_through();
    print((peer_measured){
        .start_nanoseconds = sent.start_nanoseconds, .end_nanoseconds = end, .updates = options->updates,
        .received = options->updates});
    redisFree(redis);
}

// MARK: hash

typedef struct {
    peer_numbers numbers;
    peer_copy copy;
    // All keys, made beforehand.
    char (*keys)[KEY_BYTES + 1];
} hash_load;

static hash_load make_hash_load(const peer_options *options) {
    hash_load load = {{1}, peer_make_copy(options->models, PEER_FIELD_COUNT), NULL};
    load.keys = malloc((size_t)options->models * sizeof *load.keys);
    if (load.keys == NULL) peer_fail("no memory for %u keys", options->models);
    for (uint32_t i = 0; i < options->models; i++) {
        memcpy(load.keys[i], PREFIX, PREFIX_BYTES);
        peer_id(i, load.keys[i] + PREFIX_BYTES);
    }
    return load;
}

static void put_number(char *text, uint32_t number) {
    for (int i = VALUE_BYTES - 1; i >= 0; i--, number /= 10) text[i] = (char)('0' + number % 10);
}

static uint32_t number_in(const redisReply *value) {
    if (value->type != REDIS_REPLY_STRING || value->len != VALUE_BYTES) peer_fail("a field is missing or has no value");
    uint32_t number = 0;
    for (int i = 0; i < VALUE_BYTES; i++) number = number * 10 + (uint32_t)(value->str[i] - '0');
    return number;
}

static void append_whole(redisContext *redis, uint32_t index, void *context) {
    hash_load *load = context;
    const char *words[2 + 2 * PEER_FIELD_COUNT] = {"HSET", load->keys[index]};
    size_t byte_counts[2 + 2 * PEER_FIELD_COUNT] = {4, KEY_BYTES};
    for (int field = 0; field < PEER_FIELD_COUNT; field++) {
        words[2 + 2 * field] = field_names[field];
        byte_counts[2 + 2 * field] = strlen(field_names[field]);
        words[3 + 2 * field] = "0000000000";
        byte_counts[3 + 2 * field] = VALUE_BYTES;
    }
    append(redis, 2 + 2 * PEER_FIELD_COUNT, words, byte_counts);
}

static void append_update(redisContext *redis, uint32_t index, void *context) {
    hash_load *load = context;
    const uint32_t model = peer_below(&load->numbers, load->copy.models);
    const uint32_t first = peer_below(&load->numbers, PEER_FIELD_COUNT);
    const uint32_t second = (first + 1 + peer_below(&load->numbers, PEER_FIELD_COUNT - 1)) % PEER_FIELD_COUNT;
    // 0 is what they are filled with.
    const uint32_t number = index + 1;
    char value[VALUE_BYTES];
    put_number(value, number);
    peer_set(&load->copy, model, first, number);
    peer_set(&load->copy, model, second, number);
    const char *words[] = {"HSET", load->keys[model], field_names[first], value, field_names[second], value};
    const size_t byte_counts[] = {
        4, KEY_BYTES, strlen(field_names[first]), VALUE_BYTES, strlen(field_names[second]), VALUE_BYTES};
    append(redis, 6, words, byte_counts);
}

static void expect_filled(const redisReply *reply, uint32_t index) {
    if (reply->type != REDIS_REPLY_INTEGER || reply->integer != PEER_FIELD_COUNT)
        peer_fail("hash %u was not new: has the server held data before?", index);
}

static void expect_updated(const redisReply *reply, uint32_t index) {
    if (reply->type != REDIS_REPLY_INTEGER || reply->integer != 0)
        peer_fail("update %u has not met its two fields", index);
}

static void hash_publisher(const peer_options *options) {
    redisContext *redis = connect_to(options);
    hash_load load = make_hash_load(options);
    // Somebody else's data is left alone.
    redisReply *size = command(redis, "DBSIZE");
    if (size->integer != 0) peer_fail("Redis at port %d holds data; this takes an empty one of its own", options->port);
    freeReplyObject(size);
    pipeline(redis, options->models, options->window, append_whole, &load, expect_filled);
    peer_tell_filled();
    peer_await_listening();
    const uint64_t start = peer_nanoseconds();
    pipeline(redis, options->updates, options->window, append_update, &load, expect_updated);
    freeReplyObject(command(redis, "HSET " END_KEY " a b"));
    peer_tell_sent((peer_sent){start, peer_digest(&load.copy)});
    peer_await_through();
    // The next measurement finds the server as this one has.
    freeReplyObject(command(redis, "FLUSHDB"));
    redisFree(redis);
}

// A copy of all hashes that is kept up to date.
typedef struct {
    redisContext *data, *invalidations;
    peer_copy copy;
    char (*keys)[KEY_BYTES + 1];
    // What has changed and is to be fetched, each once.
    uint32_t *changed;
    uint32_t changed_count;
    bool *is_changed;
    uint32_t received, fetched;
    bool has_ended;
} hash_copy;

static void append_fetch(redisContext *redis, const char *key) {
    const char *words[] = {"HGETALL", key};
    const size_t byte_counts[] = {7, KEY_BYTES};
    append(redis, 2, words, byte_counts);
}

// The order of fields is that in which they were set first; names are compared, so that nothing is taken for granted.
static void take_hash(hash_copy *copy, uint32_t model) {
    redisReply *reply = next_reply(copy->data);
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 * PEER_FIELD_COUNT)
        peer_fail("hash %u does not have its %d fields", model, PEER_FIELD_COUNT);
    for (uint32_t field = 0; field < PEER_FIELD_COUNT; field++) {
        if (strcmp(reply->element[2 * field]->str, field_names[field]) != 0)
            peer_fail("hash %u has the fields in another order", model);
        peer_set(&copy->copy, model, field, number_in(reply->element[2 * field + 1]));
    }
    freeReplyObject(reply);
}

static void take_invalidations(hash_copy *copy, const redisReply *message) {
    if (message->type != REDIS_REPLY_ARRAY || message->elements != 3 || message->element[2]->type != REDIS_REPLY_ARRAY)
        peer_fail("what has come is no invalidation");
    const redisReply *keys = message->element[2];
    for (size_t i = 0; i < keys->elements; i++) {
        const char *key = keys->element[i]->str;
        if (strcmp(key, END_KEY) == 0) {
            copy->has_ended = true;
            continue;
        }
        const uint32_t model =
            peer_index(key + PREFIX_BYTES, (uint64_t)keys->element[i]->len - PREFIX_BYTES, copy->copy.models);
        copy->received++;
        if (copy->is_changed[model]) continue;
        copy->is_changed[model] = true;
        copy->changed[copy->changed_count++] = model;
    }
}

// Waits for an invalidation where nothing is to be fetched yet, and takes what else is there.
static void collect(hash_copy *copy) {
    redisContext *redis = copy->invalidations;
    struct pollfd readable = {.fd = redis->fd, .events = POLLIN};
    while (copy->changed_count < FETCH_MOST) {
        void *reply;
        if (redisReaderGetReply(redis->reader, &reply) != REDIS_OK) peer_fail("Redis: %s", redis->reader->errstr);
        if (reply != NULL) {
            take_invalidations(copy, reply);
            freeReplyObject(reply);
            continue;
        }
        const bool may_wait = copy->changed_count == 0 && !copy->has_ended;
        if (!may_wait && poll(&readable, 1, 0) <= 0) return;
        if (redisBufferRead(redis) != REDIS_OK) peer_fail("Redis has ended the connection: %s", redis->errstr);
    }
}

static void fetch_changed(hash_copy *copy) {
    for (uint32_t i = 0; i < copy->changed_count; i++) {
        copy->is_changed[copy->changed[i]] = false;
        append_fetch(copy->data, copy->keys[copy->changed[i]]);
    }
    flush(copy->data);
    for (uint32_t i = 0; i < copy->changed_count; i++) take_hash(copy, copy->changed[i]);
    copy->fetched += copy->changed_count;
    copy->changed_count = 0;
}

static void start_tracking(hash_copy *copy) {
    // hiredis before 1.0 does not speak RESP3: invalidations come to a second connection.
    redisReply *identifier = command(copy->invalidations, "CLIENT ID");
    char text[96];
    snprintf(text, sizeof text, "CLIENT TRACKING ON REDIRECT %lld BCAST PREFIX " PREFIX, identifier->integer);
    freeReplyObject(identifier);
    freeReplyObject(command(copy->invalidations, "SUBSCRIBE __redis__:invalidate"));
    freeReplyObject(command(copy->data, text));
}

static void hash_subscriber(const peer_options *options) {
    hash_load load = make_hash_load(options);
    hash_copy copy = {.copy = load.copy, .keys = load.keys};
    copy.changed = malloc(options->models * sizeof *copy.changed);
    copy.is_changed = calloc(options->models, sizeof *copy.is_changed);
    if (copy.changed == NULL || copy.is_changed == NULL) peer_fail("no memory for %u models", options->models);
    peer_await_filled();
    copy.data = connect_to(options);
    copy.invalidations = connect_to(options);
    read_server_version(copy.data);
    start_tracking(&copy);
    for (uint32_t i = 0; i < options->models; i++) {
        copy.changed[copy.changed_count++] = i;
        if (copy.changed_count == FETCH_MOST || i + 1 == options->models) fetch_changed(&copy);
    }
    copy.fetched = 0;
    peer_tell_listening();
    while (!copy.has_ended || copy.changed_count > 0) {
        collect(&copy);
        fetch_changed(&copy);
    }
    const uint64_t end = peer_nanoseconds();
    const peer_sent sent = peer_await_sent();
    if (peer_digest(&copy.copy) != sent.digest) peer_fail("the copies differ: an invalidation has been lost");
    peer_tell_through();
    print((peer_measured){
        .start_nanoseconds = sent.start_nanoseconds, .end_nanoseconds = end, .updates = options->updates,
        .received = copy.received, .fetched = copy.fetched});
}

int main(int argc, char **argv) {
    const char *const kinds[] = {"publish", "hash", NULL};
    const peer_options options = peer_parse(argc, argv, kinds);
    const bool is_hash = strcmp(options.kind, "hash") == 0;
    peer_run(&options, is_hash ? hash_publisher : publisher, is_hash ? hash_subscriber : subscriber);
    return 0;
}
