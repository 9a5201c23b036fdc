/* The lists of classes, in memory that changes while it is read. */
#include "../../main/c/class_graph.c"

#include "check.h"

#include <stddef.h>

struct symbol {
    uint16_t length;
    char body[30];
};

struct klass {
    int vtable;
    jint layout;
    const struct symbol *name;
    const struct klass *next;
    const struct loader *loader;
    uint8_t state;
    uint8_t unrelated[16];
};

struct loader {
    const void *object;
    const struct klass *klasses;
    const struct loader *next;
};

static const struct symbol a_name = {3, "p/A"};
static const struct symbol hidden_name = {8, "p/B+0x12"};
static const struct symbol strange_name = {3, "p\001A"};
static const struct symbol object_name = {16, "java/lang/Object"};
static const struct symbol no_name = {3, "p\000A"};
static struct loader loaders[3];
static struct klass klasses[5];
static const struct loader *first_loader = &loaders[0];
static const char *missing = "";        /* the field that this JVM does not describe */
static int reads;
static int mends_after;                 /* after so many reads, the lists are consistent again */

static const struct {
    const char *type;
    const char *name;
    struct field_place place;
} places[] = {
    {"ClassLoaderDataGraph", "_head", {&first_loader, 0}},
    {"ClassLoaderData", "_next", {NULL, offsetof(struct loader, next)}},
    {"ClassLoaderData", "_klasses", {NULL, offsetof(struct loader, klasses)}},
    {"ClassLoaderData", "_class_loader", {NULL, offsetof(struct loader, object)}},
    {"Klass", "_next_link", {NULL, offsetof(struct klass, next)}},
    {"Klass", "_name", {NULL, offsetof(struct klass, name)}},
    {"Klass", "_class_loader_data", {NULL, offsetof(struct klass, loader)}},
    {"Klass", "_layout_helper", {NULL, offsetof(struct klass, layout)}},
    {"InstanceKlass", "_init_state", {NULL, offsetof(struct klass, state)}},
    {"Symbol", "_length", {NULL, offsetof(struct symbol, length)}},
    {"Symbol", "_body", {NULL, offsetof(struct symbol, body)}},
};

void *runtime_library(void) {
    return dlopen(NULL, RTLD_LAZY);
}

bool table_field(void *jvm, const char *type, const char *name, struct field_place *place) {
    (void)jvm;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (strcmp(places[i].type, type) == 0 && strcmp(places[i].name, name) == 0 && strcmp(name, missing) != 0) {
            *place = places[i].place;
            return true;
        }
    }
    return false;
}

bool memory_read(const void *from, void *to, size_t size) {
    if (from == NULL) {
        return false;
    }
    if (++reads == mends_after) {
        klasses[1].loader = &loaders[0];
    }
    memcpy(to, from, size);
    return true;
}

/*
 * Plants a hidden class's loader with two classes, a loader with an array class and one that is not loaded yet, and the
 * boot loader, which is the last one.
 */
static void plant(void) {
    reads = 0;
    mends_after = 0;
    missing = "";
    loaders[0] = (struct loader){NULL, &klasses[0], &loaders[1]};
    loaders[1] = (struct loader){&reads, &klasses[2], &loaders[2]};
    loaders[2] = (struct loader){NULL, &klasses[4], NULL};
    klasses[4] = (struct klass){.name = &object_name, .loader = &loaders[2], .state = 4};
    klasses[0] = (struct klass){.name = &a_name, .next = &klasses[1], .loader = &loaders[0], .state = 4};
    klasses[1] = (struct klass){.name = &hidden_name, .loader = &loaders[0], .state = 1, .layout = 16};
    klasses[2] = (struct klass){.name = &a_name, .next = &klasses[3], .loader = &loaders[1], .layout = -4, .state = 4};
    klasses[3] = (struct klass){.name = &a_name, .loader = &loaders[1], .state = 0};
}

static bool graph_is_read(struct graph *graph) {
    *graph = (struct graph){.classes = NULL};
    CHECK(graph_places(graph));
    return graph_read_all(graph);
}

static void graph_end(struct graph *graph) {
    graph_clear(graph);
    free(graph->classes);
}

static void loadedClassesThatAreNoArraysAreRead(void) {
    struct graph graph;
    plant();
    CHECK(graph_is_read(&graph));
    CHECK(graph.count == 3);
    CHECK(graph.classes[0].klass == (jlong)(intptr_t)&klasses[0] && strcmp(graph.classes[0].name, "p/A") == 0);
    CHECK(graph.classes[0].loader == 0 && strcmp(graph.classes[1].name, "p/B+0x12") == 0);
    graph_end(&graph);
    klasses[3].state = 1;
    CHECK(graph_is_read(&graph));
    CHECK(graph.count == 4 && graph.classes[2].loader == (jlong)(intptr_t)&loaders[1]);
    graph_end(&graph);
}

static void aClassOfAnotherLoaderMakesTheListsInvalid(void) {
    struct graph graph;
    plant();
    klasses[1].loader = &loaders[1];
    CHECK(!graph_is_read(&graph));
    graph_end(&graph);
}

static void aNameThatIsNoneMakesTheListsInvalid(void) {
    struct graph graph;
    plant();
    klasses[1].name = &no_name;
    CHECK(!graph_is_read(&graph));
    graph_end(&graph);
    klasses[1].name = NULL;
    CHECK(!graph_is_read(&graph));
    graph_end(&graph);
}

static void aNameWithControlCharactersIsShownWithoutThem(void) {
    struct graph graph;
    plant();
    klasses[0].name = &strange_name;
    CHECK(graph_is_read(&graph));
    CHECK(strcmp(graph.classes[0].name, "p?A") == 0);
    graph_end(&graph);
}

static void anEndlessListMakesTheListsInvalid(void) {
    struct graph graph;
    plant();
    klasses[1].next = &klasses[0];
    CHECK(!graph_is_read(&graph));
    CHECK(graph.count == MAX_CLASSES);
    graph_end(&graph);
    klasses[0].layout = -1;
    klasses[1].state = 0;
    CHECK(!graph_is_read(&graph));
    CHECK(graph.count == 0 && graph.visited > MAX_CLASSES);
    graph_end(&graph);
    plant();
    loaders[0].klasses = NULL;
    loaders[1] = (struct loader){.next = &loaders[0]};
    CHECK(!graph_is_read(&graph));
    graph_end(&graph);
}

static void listsThatChangeAreReadAgain(void) {
    plant();
    klasses[1].loader = &loaders[1];
    mends_after = 9;
    struct graph graph;
    CHECK(!graph_is_read(&graph));
    CHECK(graph_read_all(&graph) || reads > 9);
    graph_clear(&graph);
    CHECK(graph_read_all(&graph) && graph.count == 3);
    graph_end(&graph);
}

/* A loader that is being unloaded leads to the other ones of which this is true. */
static void listsThatDoNotEndWithTheBootLoaderAreInvalid(void) {
    struct graph graph;
    plant();
    loaders[0].next = NULL;
    CHECK(!graph_is_read(&graph));
    graph_end(&graph);
    loaders[0].next = &loaders[2];
    loaders[2].object = &reads;
    CHECK(!graph_is_read(&graph));
    graph_end(&graph);
    loaders[2].object = NULL;
    loaders[2].next = &loaders[1];
    loaders[1].next = NULL;
    CHECK(!graph_is_read(&graph));
    graph_end(&graph);
}

static void aJvmThatLacksAFieldHasNoLists(void) {
    plant();
    missing = "_next_link";
    CHECK(class_graph_read(NULL) == NULL);
}

int main(void) {
    RUN(loadedClassesThatAreNoArraysAreRead);
    RUN(aClassOfAnotherLoaderMakesTheListsInvalid);
    RUN(aNameThatIsNoneMakesTheListsInvalid);
    RUN(aNameWithControlCharactersIsShownWithoutThem);
    RUN(anEndlessListMakesTheListsInvalid);
    RUN(listsThatChangeAreReadAgain);
    RUN(listsThatDoNotEndWithTheBootLoaderAreInvalid);
    RUN(aJvmThatLacksAFieldHasNoLists);
}
