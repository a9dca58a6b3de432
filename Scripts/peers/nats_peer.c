// NATS JetStream beside Modelcast, driven by cnats: `nats-peer keyvalue --storage file|memory`.
//
// A key-value bucket with a history of one and one replica, filled with all models, values of 100 bytes. Puts to keys
// chosen at random are published asynchronously to the bucket's subjects (cnats puts only one at a time and waits for
// each), and all acknowledgements are awaited at the end. The other process watches the bucket: it has been given all
// values before, and is told of every put. At the end both compare what they hold.
//
// A bucket with a history of one no longer has a value that has been replaced: a watcher that is behind is given only
// the newer one.
#include "peer.h"

#include <arpa/inet.h>
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUCKET "modelcast-bench"
#define SUBJECT_PREFIX "$KV." BUCKET "."
#define SUBJECT_PREFIX_BYTES (sizeof SUBJECT_PREFIX - 1)
// Put after everything else: when it is seen, everything was.
#define END_KEY "end"
#define WAIT_MILLISECONDS 60000
// What may wait in the watcher: cnats takes a kilobyte each, and counts bytes in 31 bits.
#define WAITING_MOST 2000000

static void require(natsStatus status, const char *what) {
    if (status == NATS_OK) return;
    const char *detail = nats_GetLastError(NULL);
    peer_fail("%s: %s%s%s", what, natsStatus_GetText(status), detail != NULL ? ", " : "", detail != NULL ? detail : "");
}

typedef struct {
    natsOptions *options;
    natsConnection *connection;
    jsCtx *stream;
} nats_client;

static void on_async_error(jsCtx *stream, jsPubAckErr *error, void *closure) {
    (void)stream, (void)closure;
    peer_fail("a put was not acknowledged: %s", error->ErrText != NULL ? error->ErrText : natsStatus_GetText(error->Err));
}

static nats_client connect_to(const peer_options *options) {
    nats_client client;
    char url[64];
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", options->port);
    require(natsOptions_Create(&client.options), "options");
    require(natsOptions_SetURL(client.options, url), url);
    require(natsOptions_SetAllowReconnect(client.options, false), "options");
    require(natsOptions_SetMaxPendingMsgs(client.options, WAITING_MOST), "options");
    require(natsConnection_Connect(&client.connection, client.options), url);
    jsOptions stream_options;
    require(jsOptions_Init(&stream_options), "options");
    stream_options.PublishAsync.MaxPending = options->window;
    stream_options.PublishAsync.StallWait = WAIT_MILLISECONDS;
    stream_options.PublishAsync.ErrHandler = on_async_error;
    require(natsConnection_JetStream(&client.stream, client.connection, &stream_options), "JetStream");
    return client;
}

static void disconnect(nats_client *client) {
    jsCtx_Destroy(client->stream);
    natsConnection_Destroy(client->connection);
    natsOptions_Destroy(client->options);
}

// The greeting of a server has its version; this library does not tell it.
static void read_server_version(const peer_options *options, char *version) {
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    char greeting[2048] = "";
    if (server < 0 || connect(server, (struct sockaddr *)&address, sizeof address) != 0 ||
        read(server, greeting, sizeof greeting - 1) <= 0)
        peer_fail("no NATS at 127.0.0.1:%d", options->port);
    close(server);
    const char *found = strstr(greeting, "\"version\":\"");
    if (found == NULL || sscanf(found, "\"version\":\"%31[0-9A-Za-z.-]", version) != 1)
        peer_fail("NATS does not tell its version");
}

// MARK: The publisher

static void put(nats_client *client, const char *subject, uint32_t number) {
    char payload[PEER_PAYLOAD_BYTES];
    memset(payload, 'x', sizeof payload);
    memcpy(payload, &number, sizeof number);
    require(js_PublishAsync(client->stream, subject, payload, sizeof payload, NULL), "a put");
}

static void await_acknowledged(nats_client *client) {
    jsPubOptions options;
    require(jsPubOptions_Init(&options), "options");
    options.MaxWait = WAIT_MILLISECONDS;
    require(js_PublishAsyncComplete(client->stream, &options), "acknowledgements");
}

static void publisher(const peer_options *options) {
    nats_client client = connect_to(options);
    const bool in_memory = options->storage != NULL && strcmp(options->storage, "memory") == 0;
    // Of a measurement that was broken off.
    (void)js_DeleteKeyValue(client.stream, BUCKET);
    kvConfig configuration;
    require(kvConfig_Init(&configuration), "options");
    configuration.Bucket = BUCKET;
    configuration.History = 1;
    configuration.Replicas = 1;
    configuration.StorageType = in_memory ? js_MemoryStorage : js_FileStorage;
    kvStore *bucket;
    require(js_CreateKeyValue(&bucket, client.stream, &configuration), "a bucket");
    char(*subjects)[SUBJECT_PREFIX_BYTES + PEER_ID_BYTES + 1] = malloc(options->models * sizeof *subjects);
    if (subjects == NULL) peer_fail("no memory for %u subjects", options->models);
    for (uint32_t i = 0; i < options->models; i++) {
        memcpy(subjects[i], SUBJECT_PREFIX, SUBJECT_PREFIX_BYTES);
        peer_id(i, subjects[i] + SUBJECT_PREFIX_BYTES);
        put(&client, subjects[i], 0);
    }
    await_acknowledged(&client);
    peer_tell_filled();
    peer_await_listening();
    peer_copy copy = peer_make_copy(options->models, 1);
    peer_numbers numbers = {1};
    const uint64_t start = peer_nanoseconds();
    for (uint32_t index = 0; index < options->updates; index++) {
        const uint32_t model = peer_below(&numbers, options->models);
        peer_set(&copy, model, 0, index + 1);
        put(&client, subjects[model], index + 1);
    }
    put(&client, SUBJECT_PREFIX END_KEY, 0);
    await_acknowledged(&client);
    peer_tell_sent((peer_sent){start, peer_digest(&copy)});
    peer_await_through();
    kvStore_Destroy(bucket);
    require(js_DeleteKeyValue(client.stream, BUCKET), "to delete the bucket");
    disconnect(&client);
}

// MARK: The subscriber

static void subscriber(const peer_options *options) {
    peer_await_filled();
    char server_version[32];
    read_server_version(options, server_version);
    nats_client client = connect_to(options);
    kvStore *bucket;
    require(js_KeyValue(&bucket, client.stream, BUCKET), "the bucket");
    kvWatcher *watcher;
    require(kvStore_WatchAll(&watcher, bucket, NULL), "to watch the bucket");
    peer_copy copy = peer_make_copy(options->models, 1);
    uint32_t initial = 0, received = 0, newest = 0;
    bool is_live = false;
    for (;;) {
        kvEntry *entry;
        require(kvWatcher_Next(&entry, watcher, WAIT_MILLISECONDS), "the next value");
        if (entry == NULL) {
            // It has been given all that was there.
            if (initial != options->models) peer_fail("%u of %u values were there", initial, options->models);
            is_live = true;
            peer_tell_listening();
            continue;
        }
        if (strcmp(kvEntry_Key(entry), END_KEY) == 0) {
            kvEntry_Destroy(entry);
            break;
        }
        const uint32_t model = peer_index(kvEntry_Key(entry), strlen(kvEntry_Key(entry)), options->models);
        if (kvEntry_Operation(entry) != kvOp_Put || kvEntry_ValueLen(entry) != PEER_PAYLOAD_BYTES)
            peer_fail("what has come is no value of %d bytes", PEER_PAYLOAD_BYTES);
        uint32_t number;
        memcpy(&number, kvEntry_Value(entry), sizeof number);
        if (is_live && number <= newest) peer_fail("put %u has come after put %u", number, newest);
        newest = number;
        peer_set(&copy, model, 0, number);
        is_live ? received++ : initial++;
        kvEntry_Destroy(entry);
    }
    const uint64_t end = peer_nanoseconds();
    const peer_sent sent = peer_await_sent();
    if (peer_digest(&copy) != sent.digest) peer_fail("the copies differ: a put has been lost");
    peer_tell_through();
    peer_print(&(peer_measured){
        .server_name = "NATS", .server_version = server_version, .client_name = "cnats",
        .client_version = nats_GetVersion(), .start_nanoseconds = sent.start_nanoseconds, .end_nanoseconds = end,
        .updates = options->updates, .received = received});
    kvWatcher_Destroy(watcher);
    kvStore_Destroy(bucket);
    disconnect(&client);
}

int main(int argc, char **argv) {
    const char *const kinds[] = {"keyvalue", NULL};
    const peer_options options = peer_parse(argc, argv, kinds);
    peer_run(&options, publisher, subscriber);
    nats_Close();
    return 0;
}
