/* Requests to the host's thread that fail in the host itself: each answer has its own reason. */
#include "worker_doubles.h"

static bool is_result(enum failure failure) {
    struct answer expected = failure_answer(failure, request_type);
    return results == 1 && result.status == expected.status && strcmp(result.message, expected.message) == 0;
}

static void otherRequestsDoNotReachTheProfilerWithoutTheirBytes(void) {
    room_fails_by = FAILURE_NO_ROOM;
    request(MESSAGE_TYPE_DETACH, 0);
    CHECK(calls == 0);
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 0);
}

static void aCommandWithoutRoomFailsWithAdviceToCollect(void) {
    room_fails_by = FAILURE_NOT_COLLECTED;
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 0 && is_result(FAILURE_NOT_COLLECTED));
    CHECK(result.status == STATUS_FAILED && strstr(result.message, "GC.run") != NULL);
}

static void eachFailureOfARequestHasItsReason(void) {
    room_fails_by = FAILURE_NONE;
    functions.PushLocalFrame = no_frame;
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 0 && is_result(FAILURE_NO_MEMORY));
    functions.PushLocalFrame = a_frame;
    functions.NewByteArray = no_array;
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 0 && is_result(FAILURE_NO_MEMORY));
    functions.NewByteArray = an_array;
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 1 && is_result(FAILURE_CALL));
    request_of(MESSAGE_TYPE_DETACH, 0, 3);
    CHECK(calls == 0 && is_result(FAILURE_MALFORMED_REQUEST));
}

/* The class of the answer may not be found either: it is then neither a string nor bytes. */
static void anAnswerThatCannotBeReadHasItsReason(void) {
    room_fails_by = FAILURE_NONE;
    functions.PushLocalFrame = a_frame;
    functions.NewByteArray = an_array;
    reply_class = "java/lang/Integer";
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 1 && is_result(FAILURE_CALL));
    reply_class = "[B";
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 1 && is_result(FAILURE_NO_MEMORY));
    reply_class = "java/lang/String";
    cleared = false;
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 1 && is_result(FAILURE_NO_MEMORY) && cleared);
    reply_class = NULL;
}

/* Starts the profiler with the planted failures; returns true if the answer is that of the failure. */
static bool start_fails_with(enum failure failure) {
    JNIEnv env = &functions;
    struct job *job = new_job(MESSAGE_TYPE_ATTACH, 0, 16);
    registrations = 0;
    worker_start_profiler(&env, job);
    job_free(job);
    return is_result(failure);
}

static void eachFailureOfAnAttachIsAnswered(void) {
    functions.PushLocalFrame = no_frame;
    CHECK(start_fails_with(FAILURE_NO_MEMORY));
    functions.PushLocalFrame = a_frame;
    attach_fails_by = FAILURE_MALFORMED_ATTACH;
    CHECK(start_fails_with(FAILURE_MALFORMED_ATTACH));
    attach_fails_by = FAILURE_NONE;
    room_fails_by = FAILURE_NO_ROOM;
    CHECK(start_fails_with(FAILURE_NO_ROOM));
    room_fails_by = FAILURE_NONE;
    for (int failure = FAILURE_NO_MEMORY; failure < FAILURES; failure++) {
        start_fails_by = (enum failure)failure;
        CHECK(start_fails_with(start_fails_by) && registrations == 0);
    }
    start_fails_by = FAILURE_NONE;
}

static void theProfilerIsInitialisedOnlyAfterTheNativeMethodsAreRegistered(void) {
    natives_fail_by = FAILURE_NATIVES;
    CHECK(start_fails_with(FAILURE_NATIVES) && registrations == 1 && calls == 0);
    natives_fail_by = FAILURE_NONE;
    CHECK(start_fails_with(FAILURE_CALL) && registrations == 1 && calls == 1 && asked == UPCALL_KIND_INITIALIZE);
}

static void aRefusalOfTheJavaHalfIsTheAnswer(void) {
    refuses = true;
    reply_class = "java/lang/String";
    CHECK(start_fails_with(FAILURE_NO_MEMORY) && registrations == 0 && calls == 0);     /* the text cannot be read */
    reply_class = NULL;
    refuses = false;
}

static void requestsWhileAnotherAttachIsPendingAreRefusedByTheirKind(void) {
    static const struct {
        enum message_type type;
        enum status status;
    } refused[] = {{MESSAGE_TYPE_ATTACH, STATUS_ATTACH_REFUSED}, {MESSAGE_TYPE_DETACH, STATUS_NO_PROFILER},
        {MESSAGE_TYPE_COMMAND, STATUS_NO_PROFILER}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        add(new_job(refused[i].type, 0, 16));
        CHECK(worker_await_attach() == NULL && results == 1 && result.status == refused[i].status);
    }
}

static void eachReasonHasItsOwnSentence(void) {
    for (int i = FAILURE_NO_MEMORY; i < FAILURES; i++) {
        struct answer answer = failure_answer((enum failure)i, MESSAGE_TYPE_ATTACH);
        CHECK(answer.status != STATUS_OK && answer.message != NULL && strlen(answer.message) > 10);
        for (int j = FAILURE_NO_MEMORY; j < i; j++) {
            CHECK(strcmp(answer.message, failure_answer((enum failure)j, MESSAGE_TYPE_ATTACH).message) != 0);
        }
    }
}

int main(void) {
    RUN(otherRequestsDoNotReachTheProfilerWithoutTheirBytes);
    RUN(aCommandWithoutRoomFailsWithAdviceToCollect);
    RUN(eachFailureOfARequestHasItsReason);
    RUN(anAnswerThatCannotBeReadHasItsReason);
    RUN(eachFailureOfAnAttachIsAnswered);
    RUN(theProfilerIsInitialisedOnlyAfterTheNativeMethodsAreRegistered);
    RUN(aRefusalOfTheJavaHalfIsTheAnswer);
    RUN(requestsWhileAnotherAttachIsPendingAreRefusedByTheirKind);
    RUN(eachReasonHasItsOwnSentence);
}
