/* The usual places that retain the profiler: a search reads them one by one, among the objects of a scripted JVM. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

/* Double: the memory map of the process. */
static FILE *planted_fopen(const char *path, const char *mode);
static int planted_fclose(FILE *file);

#define fopen planted_fopen
#define fclose planted_fclose
#include "../../main/c/retainers.c"
#undef fclose
#undef fopen

#include "check.h"
#include "planted_places.h"

static char said[1024];

static bool look(bool also_virtual) {
    said[0] = 0;
    steps = 0;
    bool found = retainers_find(&env, said, sizeof said, also_virtual);
    CHECK(!pending && frames == 0 && texts == 0 && open_files == 0 && (found || said[0] == 0));
    return found;
}

static bool finds(const char *text) {
    return look(true) && strcmp(said, text) == 0;
}

static bool is_virtual(int place) {
    return strncmp(places[place].text, "virtual", 7) == 0;
}

static const char *expected(int place) {
    static char text[256];
    snprintf(text, sizeof text, "%s -> mayfly.example.Task", places[place].text);
    return text;
}

static void eachPlaceThatRefersToTheProfilerIsNamed(void) {
    for (int i = 0; i < PLACES; i++) {
        begin();
        places[i].refer(ours);
        CHECK(finds(expected(i)));
    }
}

static void aPlaceThatRefersToTheProgramIsNoRetainer(void) {
    begin();
    CHECK(!look(true));
    for (int i = 0; i < PLACES; i++) {
        begin();
        places[i].refer(theirs);
        CHECK(!look(true));
        begin();
        places[i].refer(NULL);
        CHECK(!look(true));
    }
}

static void objectsOfTheHostAndTheLoadersThemselvesAreTheProfilers(void) {
    begin();
    by_context(first_loader);
    CHECK(finds("the context class loader of thread \"main\" -> java.security.SecureClassLoader"));
    begin();
    by_context(host_loader);
    CHECK(finds("the context class loader of thread \"main\" -> mayfly.host.Memory"));
    begin();
    thread->class = ours->class;
    CHECK(finds("thread \"main\" -> mayfly.example.Task"));
    begin();
    by_context(ours);
    first_loader = NULL;
    CHECK(!look(true));
}

static void virtualThreadsAreSearchedOnRequestAndOnlySinceJdk21(void) {
    for (int i = 0; i < PLACES; i++) {
        begin();
        places[i].refer(ours);
        CHECK(look(false) == !is_virtual(i));
        version -= version == JNI_VERSION_21_;
        CHECK(look(true) == !is_virtual(i));
    }
}

/* A class of the program may extend one of the JDK, and the meaning of its fields is unknown. */
static void onlyTheClassesOfTheJdkItselfAreInspected(void) {
    begin();
    by_timer(ours);
    thread->class->name = "com.acme.TimerThread";
    CHECK(!look(true) && errors == 0);
    begin();
    by_schedule(ours);
    named_class("java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue")->name = "com.acme.Queue";
    CHECK(!look(true) && errors == 0);
    begin();
    by_factory(ours);
    named_class("java.util.concurrent.ThreadPoolExecutor$Worker")->name = "com.acme.Worker";
    CHECK(!look(true) && errors == 0);
    begin();
    by_container(ours);
    named_class("java.util.concurrent.ThreadPerTaskExecutor")->name = "com.acme.Executor";
    CHECK(!look(true) && errors == 0);
}

static void anMBeanServerIsAskedOnlyIfItIsInUseAndOfTheJdk(void) {
    static char other[] = "7f00-7f01 r-xp 00000000 00:00 0 /jdk/lib/server/libjvm.so\n";
    begin();
    by_bean(ours);
    maps = other;
    CHECK(!look(true) && queries == 0);
    maps = NULL;
    CHECK(!look(true) && queries == 0);
    begin();
    bean_of("com.acme.Server", "javax.management.ObjectName", ours);
    CHECK(!look(true) && queries == 0);
    begin();
    bean_of("com.sun.jmx.mbeanserver.JmxMBeanServer", "com.acme.Name", ours);
    CHECK(finds("the MBean ? -> mayfly.example.Task") && queries == 1);
}

static void theOtherPlacesAreInspectedIfTheThreadsCannotBeListed(void) {
    for (int i = 0; i < 2; i++) {
        begin();
        by_hook(ours);
        *(i == 0 ? &missing_method : &throwing_method) = "getThreads";
        CHECK(finds("a shutdown hook -> mayfly.example.Task"));
    }
}

static void aMemberThatTheJdkLacksIsNotRead(void) {
    static const char *const methods[] = {"getName", "toString", "getClassLoader", "toArray", "keySet", "iterator",
        "hasNext", "next", "getThreads", "queryNames", "getClassLoaderFor"};
    for (int i = 0; i < PLACES; i++) {
        for (int j = 0; j < FIELDS; j++) {
            begin();
            places[i].refer(ours);
            missing_field = &fields[j];
            bool is_read = false;
            for (int k = 0; k < value_count; k++) {
                is_read |= values[k].field == missing_field;
            }
            CHECK(look(true) == !is_read);
        }
        for (size_t j = 0; j < sizeof methods / sizeof methods[0]; j++) {
            begin();
            places[i].refer(ours);
            missing_method = methods[j];
            look(true);
        }
        begin();
        places[i].refer(ours);
        missing_method = "getClassLoader";
        CHECK(!look(true));
    }
}

/* Any step can fail: a frame or a method by an exception, the characters of a string and a class without one. */
static void aFailureLeavesNoExceptionAndNoFrame(void) {
    for (int i = 0; i < PLACES; i++) {
        bool fails = true;
        for (int step = 1; fails; step++) {
            begin();
            places[i].refer(ours);
            failing_step = step;
            const char *arrow = look(true) ? strstr(said, " -> ") : NULL;
            CHECK(said[0] == 0 || (arrow != NULL && (strcmp(arrow, " -> mayfly.example.Task") == 0
                    || strcmp(arrow, " -> ?") == 0)));
            fails = step <= steps;
        }
        CHECK(strcmp(said, expected(i)) == 0);
    }
}

/* Returns the collection of the place, which has one element. */
static struct object *list_of_place(void) {
    struct object *list = NULL;
    for (int i = 0; i < value_count; i++) {
        list = values[i].value != NULL && values[i].value->elements != NULL ? values[i].value : list;
    }
    CHECK(list != NULL && list->length == 1);
    return list;
}

static void onlyTheFirstElementsOfACollectionAreInspected(void) {
    static struct object *many[MAX_ENTRIES + 1];
    static const struct { void (*refer)(struct object *); int max; } limits[] = {
        {by_timer, MAX_ENTRIES}, {by_locals, MAX_ENTRIES}, {by_schedule, MAX_SCHEDULED}, {by_hook, MAX_ENTRIES},
        {by_virtual, MAX_ENTRIES},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        begin();
        limits[i].refer(ours);
        struct object *array = list_of_place();
        memset(many, 0, sizeof many);
        many[limits[i].max] = array->elements[0];
        array->elements = many;
        array->length = limits[i].max + 1;
        CHECK(!look(true));
        many[limits[i].max - 1] = many[limits[i].max];
        CHECK(look(true));
    }
}

/* An error would be created in the program's heap, and the flight recorder would record it. */
static void neitherObjectsNorEmptyElementsOfTheProgramCauseAnError(void) {
    static void (*const with_lists[])(struct object *) = {by_timer, by_locals, by_schedule};
    for (int i = 0; i < PLACES; i++) {
        begin();
        places[i].refer(theirs);
        CHECK(!look(true) && errors == 0);
    }
    begin();
    by_schedule(theirs);
    list_of_place()->elements[0] = theirs;
    CHECK(!look(true) && errors == 0);
    for (size_t i = 0; i < sizeof with_lists / sizeof with_lists[0]; i++) {
        begin();
        with_lists[i](ours);
        list_of_place()->elements[0] = NULL;
        CHECK(!look(true) && errors == 0);
    }
}

static void theThreadsAreInspectedInTheirOrderUntilOneRetainsTheProfiler(void) {
    struct object *all[3];
    begin();
    by_task(theirs);
    all[0] = thread;
    thread = all[1] = make_thread("java.lang.Thread", "first");
    by_task(ours);
    thread = all[2] = make_thread("java.lang.Thread", "second");
    by_task(ours);
    threads = make_array(all, 3);
    CHECK(finds("thread \"first\" -> mayfly.example.Task"));
}

/* The text has exactly the given size, so that the sanitizer detects a byte after it. */
static void aNameOfAnyLengthAndEncodingFitsIntoTheText(void) {
    static char name[4096];
    memset(name, 'x', sizeof name - 1);
    memcpy(name, "\xff\xfe", 2);
    for (int i = 0; i < 2; i++) {
        begin();
        if (i > 0) {
            list_virtual(virtual_thread(ours, name));
        } else {
            thread->name = name;
            by_task(ours);
        }
        const char *before = i > 0 ? "virtual thread #21 \"\xff\xfe" : "thread \"\xff\xfe";
        CHECK(look(true) && strncmp(said, before, strlen(before)) == 0);
        CHECK(strstr(said, "\" -> mayfly.example.Task") == said + strlen(before) - 2 + MAX_NAME - 1);
        ours->class->name = name;
        CHECK(look(true) && strlen(said) == sizeof said - 1);
        for (size_t size = 1; size < sizeof said + 2; size += size < 8 ? 1 : 64) {
            char *text = malloc(size);
            CHECK(retainers_find(&env, text, size, true) && strlen(text) < size);
            CHECK(strncmp(text, said, size - 1) == 0);
            free(text);
        }
    }
}

int main(void) {
    RUN(eachPlaceThatRefersToTheProfilerIsNamed);
    RUN(aPlaceThatRefersToTheProgramIsNoRetainer);
    RUN(objectsOfTheHostAndTheLoadersThemselvesAreTheProfilers);
    RUN(virtualThreadsAreSearchedOnRequestAndOnlySinceJdk21);
    RUN(onlyTheClassesOfTheJdkItselfAreInspected);
    RUN(anMBeanServerIsAskedOnlyIfItIsInUseAndOfTheJdk);
    RUN(theOtherPlacesAreInspectedIfTheThreadsCannotBeListed);
    RUN(aMemberThatTheJdkLacksIsNotRead);
    RUN(aFailureLeavesNoExceptionAndNoFrame);
    RUN(onlyTheFirstElementsOfACollectionAreInspected);
    RUN(neitherObjectsNorEmptyElementsOfTheProgramCauseAnError);
    RUN(theThreadsAreInspectedInTheirOrderUntilOneRetainsTheProfiler);
    RUN(aNameOfAnyLengthAndEncodingFitsIntoTheText);
}
