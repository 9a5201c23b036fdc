/* The channel's handling of messages with arbitrary content from clients, and its messages to them. */
#include "channel_clients.h"
#include "golden.h"

static void aRequestIsAnswered(void) {
    uint8_t content[64];
    size_t length;
    begin();
    int fd = client();
    send_head(fd, 4, MESSAGE_TYPE_COMMAND);
    send_bytes(fd, "abc", 3);
    struct job *job = await_job();
    CHECK(job->type == MESSAGE_TYPE_COMMAND && job->payload.length == 3 && memcmp(job->payload.at, "abc", 3) == 0);
    channel_result(job->client, job->serial, STATUS_FAILED, "no");
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_RESULT);
    CHECK(length == 14 && bytes_word(content) == STATUS_FAILED && bytes_word(content + 4) == 2
            && memcmp(content + 8, "no", 2) == 0);
    job_free(job);
    close(fd);
    end();
}

static void theGoldenAttachBecomesAJob(void) {
    size_t length;
    uint8_t *message = golden_read("attach.bin", &length);
    begin();
    int fd = client();
    send_bytes(fd, message, length);
    struct job *job = await_job();
    CHECK(job->type == MESSAGE_TYPE_ATTACH && job->payload.length == length - MESSAGE_SIZE_HEAD);
    CHECK(memcmp(job->payload.at, message + MESSAGE_SIZE_HEAD, job->payload.length) == 0);
    job_free(job);
    free(message);
    close(fd);
    end();
}

static void aResultHasTheGoldenBytes(void) {
    uint8_t content[64];
    size_t whole;
    size_t length;
    uint8_t *message = golden_read("result.bin", &whole);
    begin();
    int fd = client();
    send_head(fd, 1, MESSAGE_TYPE_COMMAND);
    struct job *job = await_job();
    channel_result(job->client, job->serial, STATUS_ATTACH_REFUSED, "no room");
    CHECK(receive(fd, content, sizeof content, &length) == message[4]);
    CHECK(length == whole - MESSAGE_SIZE_HEAD && memcmp(content, message + MESSAGE_SIZE_HEAD, length) == 0);
    job_free(job);
    free(message);
    close(fd);
    end();
}

/* A client that received nothing would wait until its time-out. */
static void anAnswerWithoutMemoryIsAFailureAndTheEndIsStillReported(void) {
    static const uint8_t wait[4] = {DETACH_FLAG_WAIT};
    static uint8_t reply[4096];
    static const char message[] = "the host ran out of memory";
    uint8_t content[64];
    size_t length;
    struct bytes part = {reply, sizeof reply};
    begin();
    int fd = client();
    send_head(fd, 1 + sizeof wait, MESSAGE_TYPE_DETACH);
    send_bytes(fd, wait, sizeof wait);
    struct job *job = await_job();
    no_memory_for_outputs = true;
    channel_send(job->client, job->serial, MESSAGE_TYPE_REPLY, &part, 1);
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_RESULT && bytes_word(content) == STATUS_FAILED);
    CHECK(bytes_word(content + 4) == sizeof message - 1 && memcmp(content + 8, message, sizeof message - 1) == 0);
    CHECK(channel_gone(1, 2));
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_GONE);
    no_memory_for_outputs = false;
    job_free(job);
    close(fd);
    end();
}

static void aClientWithoutMemoryForItsAnswerIsRefusedBeforeItsRequest(void) {
    begin();
    no_memory_for_outputs = true;
    int refused = client();
    CHECK(is_closed(refused));
    no_memory_for_outputs = false;
    int fd = client();
    send_head(fd, 1, MESSAGE_TYPE_COMMAND);
    job_free(await_job());
    close(fd);
    end();
}

static void aRequestMayComeByteByByte(void) {
    static const uint8_t frame[] = {3, 0, 0, 0, MESSAGE_TYPE_COMMAND, 'x', 'y'};
    begin();
    int fd = client();
    for (size_t i = 0; i < sizeof frame; i++) {
        send_bytes(fd, frame + i, 1);
    }
    struct job *job = await_job();
    CHECK(job->payload.length == 2 && memcmp(job->payload.at, "xy", 2) == 0);
    job_free(job);
    close(fd);
    end();
}

static void lengthsAndTypesOutOfBoundsCloseTheConnection(void) {
    static const struct { uint32_t length; uint8_t type; } heads[] = {
        {0, MESSAGE_TYPE_COMMAND}, {1, 0}, {1, 5}, {1, MESSAGE_TYPE_RESULT}, {1, 255},
        {MESSAGE_SIZE_MAX_COMMAND + 2, MESSAGE_TYPE_COMMAND},
        {MESSAGE_SIZE_MAX_ATTACH + 2, MESSAGE_TYPE_ATTACH},
        {MESSAGE_SIZE_MAX_OTHER + 2, MESSAGE_TYPE_DETACH},
        {MESSAGE_SIZE_MAX_OTHER + 2, MESSAGE_TYPE_FOLLOW},
        {0x80000000, MESSAGE_TYPE_ATTACH}, {0xffffffff, MESSAGE_TYPE_COMMAND},
    };
    begin();
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        int fd = client();
        send_head(fd, heads[i].length, heads[i].type);
        CHECK(is_closed(fd));
    }
    end();
    CHECK(host.jobs == 0);
}

static void theLargestLengthsAreAwaited(void) {
    begin();
    int attach = client();
    send_head(attach, MESSAGE_SIZE_MAX_ATTACH + 1, MESSAGE_TYPE_ATTACH);
    int command = client();
    send_head(command, MESSAGE_SIZE_MAX_COMMAND + 1, MESSAGE_TYPE_COMMAND);
    int whole = client();
    send_head(whole, 1, MESSAGE_TYPE_DETACH);
    struct job *job = await_job();      /* clients are read in this order */
    CHECK(job->type == MESSAGE_TYPE_DETACH);
    job_free(job);
    CHECK(recv(attach, &(uint8_t){0}, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
    CHECK(recv(command, &(uint8_t){0}, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
    close(attach);
    close(command);
    close(whole);
    end();
}

static void aSecondRequestClosesTheConnection(void) {
    begin();
    int fd = client();
    send_head(fd, 1, MESSAGE_TYPE_COMMAND);
    send_head(fd, 1, MESSAGE_TYPE_COMMAND);
    CHECK(is_closed(fd));
    end();
}

/* Waits until this slot is free or another client has it. */
static void await_departure(int place, uint64_t serial) {
    pthread_mutex_lock(&host.lock);
    while (clients[place].open && clients[place].serial == serial) {
        pthread_mutex_unlock(&host.lock);
        sched_yield();
        pthread_mutex_lock(&host.lock);
    }
    pthread_mutex_unlock(&host.lock);
}

/* Returns true if a result has the status and the message of a failure. */
static bool is_answer(const uint8_t *content, size_t length, enum failure failure) {
    struct answer answer = failure_answer(failure, MESSAGE_TYPE_COMMAND);
    return length >= RESULT_OFFSET_MESSAGE && bytes_word(content) == (uint32_t)answer.status
            && bytes_word(content + RESULT_OFFSET_MESSAGE_LENGTH) == strlen(answer.message)
            && memcmp(content + RESULT_OFFSET_MESSAGE, answer.message, strlen(answer.message)) == 0;
}

/* Counts forced detaches, as life.c begins them. */
static int forced;

bool life_force_locked(void) {
    forced++;
    return true;
}

static void fill_the_queue(void) {
    uint64_t before = client_serials;
    for (int i = 0; i < MAX_JOBS; i++) {
        int fd = client();
        send_head(fd, 1, MESSAGE_TYPE_DETACH);
        pthread_mutex_lock(&host.lock);
        while (host.jobs <= i) {
            pthread_cond_wait(&host.changed, &host.lock);
        }
        pthread_mutex_unlock(&host.lock);
        close(fd);
        await_departure(0, before + 1 + (uint64_t)i);
    }
}

static void expect_too_many(uint8_t type, const void *payload) {
    uint8_t content[128];
    size_t length;
    int fd = client();
    send_head(fd, 5, type);
    send_bytes(fd, payload, 4);
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_RESULT);
    CHECK(is_answer(content, length, FAILURE_TOO_MANY));
    close(fd);
}

static void aSeventeenthRequestIsRefused(void) {
    begin();
    fill_the_queue();
    expect_too_many(MESSAGE_TYPE_COMMAND, "abcd");
    end();
}

static void aForcedDetachBeginsAlthoughTheQueueIsFull(void) {
    uint8_t flags[4];
    bytes_put_word(flags, DETACH_FLAG_FORCE);
    begin();
    fill_the_queue();
    forced = 0;
    expect_too_many(MESSAGE_TYPE_DETACH, flags);
    CHECK(forced == 1);
    end();
}

static void aRequestThatCannotBeQueuedIsAnsweredWithNoMemory(void) {
    uint8_t content[128];
    size_t length;
    begin();
    no_memory = true;
    int fd = client();
    send_head(fd, 5, MESSAGE_TYPE_COMMAND);
    send_bytes(fd, "abcd", 4);
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_RESULT);
    CHECK(is_answer(content, length, FAILURE_NO_MEMORY));
    no_memory = false;
    close(fd);
    end();
    CHECK(host.jobs == 0);
}

static void anAnswerToAClientThatHasGoneReachesNoOther(void) {
    uint8_t content[64];
    size_t length;
    begin();
    int gone = client();
    send_head(gone, 1, MESSAGE_TYPE_COMMAND);
    struct job *job = await_job();
    close(gone);
    await_departure(job->client, job->serial);
    int other = client();
    send_head(other, 1, MESSAGE_TYPE_FOLLOW);
    CHECK(channel_emit((const uint8_t *)"x", 1));
    CHECK(receive(other, content, sizeof content, &length) == MESSAGE_TYPE_EMIT);
    CHECK(clients[job->client].serial == job->serial + 1);
    channel_result(job->client, job->serial, 0, "secret");
    channel_gone(1, 2);
    CHECK(receive(other, content, sizeof content, &length) == MESSAGE_TYPE_GONE);
    job_free(job);
    close(other);
    end();
}

static void aFollowerReceivesTheBacklogTheDroppedCountAndTheGoldenEnd(void) {
    static uint8_t block[MAX_BACKLOG / 2];
    static uint8_t content[MAX_BACKLOG];
    size_t length;
    begin();
    CHECK(channel_emit(block, sizeof block));
    CHECK(!channel_emit(block, sizeof block));
    CHECK(!channel_emit(block, MAX_BACKLOG));
    CHECK(channel_emit(block, 0));
    int fd = client();
    send_head(fd, 1, MESSAGE_TYPE_FOLLOW);
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_EMIT && length == 8 + sizeof block
            && bytes_word(content) == 0);
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_EMIT
            && length == 8 && bytes_word(content) == 2);
    CHECK(channel_emit((const uint8_t *)"x", 1));
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_EMIT && length == 9 && content[8] == 'x');
    size_t whole;
    uint8_t *message = golden_read("gone.bin", &whole);
    host.remaining_classes = true;
    channel_gone(5000000, 2);
    CHECK(receive(fd, content, sizeof content, &length) == message[MESSAGE_OFFSET_TYPE]);
    CHECK(length == whole - MESSAGE_SIZE_HEAD && memcmp(content, message + MESSAGE_SIZE_HEAD, length) == 0);
    host.remaining_classes = false;
    free(message);
    close(fd);
    end();
}

static void aLeaseEndsWithItsClient(void) {
    begin();
    int fd = client();
    send_head(fd, 5, MESSAGE_TYPE_FOLLOW);
    send_bytes(fd, "\1\0\0\0", 4);
    close(fd);
    pthread_mutex_lock(&host.lock);
    while (!host.lease_ended) {
        pthread_cond_wait(&host.changed, &host.lock);
    }
    pthread_mutex_unlock(&host.lock);
    end();
}

int main(void) {
    RUN(aRequestIsAnswered);
    RUN(theGoldenAttachBecomesAJob);
    RUN(aResultHasTheGoldenBytes);
    RUN(anAnswerWithoutMemoryIsAFailureAndTheEndIsStillReported);
    RUN(aClientWithoutMemoryForItsAnswerIsRefusedBeforeItsRequest);
    RUN(aRequestMayComeByteByByte);
    RUN(lengthsAndTypesOutOfBoundsCloseTheConnection);
    RUN(theLargestLengthsAreAwaited);
    RUN(aSecondRequestClosesTheConnection);
    RUN(aSeventeenthRequestIsRefused);
    RUN(aForcedDetachBeginsAlthoughTheQueueIsFull);
    RUN(aRequestThatCannotBeQueuedIsAnsweredWithNoMemory);
    RUN(anAnswerToAClientThatHasGoneReachesNoOther);
    RUN(aFollowerReceivesTheBacklogTheDroppedCountAndTheGoldenEnd);
    RUN(aLeaseEndsWithItsClient);
}
