/*
 * Any order of actions of clients and of the host's thread, and any bytes from the clients. An input is a list of
 * steps: a byte whose low half is the action and whose high half is the client; then, for bytes to send, a length of
 * two bytes and the bytes. There is one thread, so that each input behaves identically on every run; channel_test.c and
 * the tests of live hosts have several.
 */
#include "../../../main/c/channel.c"
#include "../../../main/c/jobs.c"
#include "../../../main/c/output.c"
#include "../../../main/c/wake.c"

#include "../check.h"

static const uint8_t *input;
static size_t left;
static int peers[CLIENTS];

static unsigned next_byte(void) {
    return left == 0 ? 0 : (left--, *input++);
}

static void check_invariants(void) {
    int jobs = 0;
    for (struct job *job = host.first; job != NULL; job = job->next) {
        CHECK(job->payload.length <= MESSAGE_SIZE_MAX_ATTACH && job->payload.at != NULL);
        CHECK(job->next != NULL || job == host.last);
        jobs++;
    }
    CHECK(jobs == host.jobs && jobs <= MAX_JOBS && channel_backlog.length <= MAX_BACKLOG + 64);
    for (int i = 0; i < CLIENTS; i++) {
        CHECK(clients[i].out.length <= clients[i].out.capacity);
        CHECK(clients[i].open || (clients[i].payload.at == NULL && clients[i].out.at == NULL && !clients[i].follows));
        CHECK(clients[i].payload.length <= max_payload(clients[i].head[4]));
        CHECK(!clients[i].leases || clients[i].follows);
    }
}

static void open_client(int at) {
    int pair[2];
    if (!clients[at].open) {
        CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
        clients[at] = (struct client){.open = true, .fd = pair[0], .serial = ++client_serials};
        peers[at] = pair[1];
    }
}

/* Acts as the channel's thread does for a client that is readable or writable. */
static void serve(int at) {
    if (clients[at].open && (!client_read(&clients[at]) || !client_write(&clients[at]))) {
        client_drop(&clients[at]);
        close(peers[at]);
    }
}

static void send_some(int at) {
    size_t length = next_byte();
    length |= (size_t)next_byte() << 8;
    length = length > left ? left : length;
    if (clients[at].open && length > 0) {
        ssize_t ignored = send(peers[at], input, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        (void)ignored;
    }
    input += length;
    left -= length;
}

static void receive_some(int at) {
    static uint8_t to[1 << 16];
    if (clients[at].open) {
        ssize_t ignored = recv(peers[at], to, sizeof to, MSG_DONTWAIT);
        (void)ignored;
    }
}

/* Acts as the host's thread does for a request. */
static void answer(unsigned how) {
    struct job *job = job_take();
    if (job == NULL) {
        return;
    }
    if (how % 2 == 0) {
        channel_result(job->client, job->serial, how, "refused");
    } else {
        channel_send(job->client, job->serial, MESSAGE_TYPE_REPLY, &job->payload, 1);
    }
    job_free(job);
}

static void step(void) {
    static uint8_t emitted[0xfff0 * 8];
    unsigned what = next_byte();
    int at = (int)(what >> 4);
    switch (what & 15) {
        case 0: case 1: open_client(at); break;
        case 2: case 3: case 4: open_client(at); send_some(at); serve(at); break;
        case 5: send_some(at); break;
        case 6: serve(at); break;
        case 7: receive_some(at); break;
        case 8: answer((unsigned)at); break;
        case 9: channel_emit(emitted, next_byte() * 16u); break;
        case 10: channel_emit(emitted, next_byte() * 0x800u); break;
        case 11: shutdown(clients[at].open ? peers[at] : -1, SHUT_RDWR); serve(at); break;
        case 12: if (at == 0) { channel_gone(1, 2); } break;
        default: serve(at); break;
    }
}

static void clear(void) {
    while (host.first != NULL) {
        answer(0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        if (clients[i].open) {
            bool leased = clients[i].leases && !life_is(HOST_LIFE_GONE);
            client_drop(&clients[i]);
            close(peers[i]);
            CHECK(!leased || host.lease_ended);
        }
    }
    free(channel_backlog.at);
    channel_backlog = (struct output){0};
    memset(&host, 0, sizeof host);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    input = bytes;
    left = length;
    pthread_mutex_init(&host.lock, NULL);
    pthread_cond_init(&host.changed, NULL);
    host.wake_fd = -1;
    while (left > 0) {
        step();
        check_invariants();
    }
    clear();
    return 0;
}
