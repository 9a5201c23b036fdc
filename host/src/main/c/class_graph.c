/*
 * The loaded classes, read from HotSpot's ClassLoaderDataGraph: a list of ClassLoaderData, each with a list of its
 * Klass. No JVM function is called, and nothing is locked, so the lists may change while they are read, and memory that
 * has been unloaded may be read. Each element must therefore name the list that it was found in; if one does not, the
 * reading begins again.
 */
#define _GNU_SOURCE
#include "class_graph.h"
#include "classes.h"
#include "memory.h"
#include "runtimes.h"
#include "tables.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Upper bounds, higher than in any program. MAX_HEAD bounds the offsets of the fields of a Klass. */
enum { MAX_LOADERS = 1 << 20, MAX_CLASSES = 1 << 20, MAX_HEAD = 1024 };
enum { TRIES = 5 };
/* The size of a part of a name, which memory_read copies at once. */
enum { PART = 256 };
/* InstanceKlass::loaded: the first state in which a class is in its loader. */
enum { STATE_LOADED = 1 };

enum field {
    GRAPH_HEAD, LOADER_NEXT, LOADER_KLASSES, LOADER_OBJECT, KLASS_NEXT, KLASS_NAME, KLASS_LOADER, KLASS_LAYOUT,
    KLASS_STATE, SYMBOL_LENGTH, SYMBOL_BODY, FIELDS
};

static const char *const field_names[FIELDS][2] = {
    [GRAPH_HEAD] = {"ClassLoaderDataGraph", "_head"},
    [LOADER_NEXT] = {"ClassLoaderData", "_next"},
    [LOADER_KLASSES] = {"ClassLoaderData", "_klasses"},
    [LOADER_OBJECT] = {"ClassLoaderData", "_class_loader"},
    [KLASS_NEXT] = {"Klass", "_next_link"},
    [KLASS_NAME] = {"Klass", "_name"},
    [KLASS_LOADER] = {"Klass", "_class_loader_data"},
    [KLASS_LAYOUT] = {"Klass", "_layout_helper"},
    [KLASS_STATE] = {"InstanceKlass", "_init_state"},
    [SYMBOL_LENGTH] = {"Symbol", "_length"},
    [SYMBOL_BODY] = {"Symbol", "_body"},
};

struct graph_class {
    jlong klass;
    jlong loader;               /* the ClassLoaderData; 0 for that of the boot loader */
    char *name;
};

struct graph_klass {
    const char *owner;
    const char *name;
    const char *next;
    jint layout;
    bool is_wanted;             /* it is loaded, and not an array */
};

struct graph {
    struct field_place fields[FIELDS];
    size_t head;                /* the size of the part of a Klass that has all fields */
    struct graph_class *classes;
    int count;
    int room;
    int visited;                /* all elements of the lists, also those that are not in the result */
};

static bool graph_places(struct graph *graph) {
    void *jvm = runtime_library();
    bool found = jvm != NULL;
    graph->head = 0;
    for (int i = 0; i < FIELDS && found; i++) {
        found = table_field(jvm, field_names[i][0], field_names[i][1], &graph->fields[i]);
        uint64_t end = graph->fields[i].offset + sizeof(void *);
        if (found && i >= KLASS_NEXT && i <= KLASS_LAYOUT) {
            graph->head = end > graph->head ? end : graph->head;
        }
    }
    if (jvm != NULL) {
        dlclose(jvm);
    }
    return found && graph->head <= MAX_HEAD;
}

static bool graph_pointer(const struct graph *graph, const char *object, enum field field, const char **to) {
    return memory_read(object + graph->fields[field].offset, to, sizeof *to);
}

/* Returns the text of a Symbol, which the caller frees; NULL if it cannot be one. */
static char *graph_text(const struct graph *graph, const char *symbol) {
    uint16_t length;
    if (!memory_read(symbol + graph->fields[SYMBOL_LENGTH].offset, &length, sizeof length) || length == 0) {
        return NULL;
    }
    char *text = malloc((size_t)length + 1);
    bool valid = text != NULL;
    for (size_t at = 0; valid && at < length; at += PART) {
        size_t size = length - at < PART ? length - at : PART;
        valid = memory_read(symbol + graph->fields[SYMBOL_BODY].offset + at, text + at, size);
    }
    /* A class file may have such a name; no memory that holds a name has a zero. */
    for (size_t i = 0; valid && i < length; i++) {
        valid = text[i] != 0;
        text[i] = (unsigned char)text[i] < ' ' ? '?' : text[i];
    }
    if (!valid) {
        free(text);
        return NULL;
    }
    text[length] = 0;
    return text;
}

static bool graph_add(struct graph *graph, const char *klass, const char *loader, const char *symbol) {
    if (graph->count == graph->room) {
        int room = graph->room == 0 ? 4096 : 2 * graph->room;
        struct graph_class *larger = realloc(graph->classes, (size_t)room * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        graph->classes = larger;
        graph->room = room;
    }
    char *name = graph_text(graph, symbol);
    if (name != NULL) {
        graph->classes[graph->count++] = (struct graph_class){(jlong)(intptr_t)klass, (jlong)(intptr_t)loader, name};
    }
    return name != NULL;
}

/* Reads the part of a Klass that all classes have, and the state of one that is not an array. */
static bool graph_read_klass(const struct graph *graph, const char *klass, struct graph_klass *to) {
    char head[MAX_HEAD];
    uint8_t state = 0;
    bool valid = memory_read(klass, head, graph->head);
    if (valid) {
        memcpy(&to->owner, head + graph->fields[KLASS_LOADER].offset, sizeof to->owner);
        memcpy(&to->name, head + graph->fields[KLASS_NAME].offset, sizeof to->name);
        memcpy(&to->next, head + graph->fields[KLASS_NEXT].offset, sizeof to->next);
        memcpy(&to->layout, head + graph->fields[KLASS_LAYOUT].offset, sizeof to->layout);
    }
    bool is_array = valid && to->layout < 0;    /* Klass::_lh_neutral_value and instances are not negative */
    valid = valid && (is_array || memory_read(klass + graph->fields[KLASS_STATE].offset, &state, sizeof state));
    to->is_wanted = !is_array && state >= STATE_LOADED;
    return valid;
}

/* Reads the classes of one loader. Returns false if the list is inconsistent. */
static bool graph_read_loader(struct graph *graph, const char *loader) {
    const char *klass;
    const char *object;
    bool valid = graph_pointer(graph, loader, LOADER_KLASSES, &klass)
            && graph_pointer(graph, loader, LOADER_OBJECT, &object);
    while (valid && klass != NULL) {
        struct graph_klass one;
        valid = graph_read_klass(graph, klass, &one) && one.owner == loader && ++graph->visited <= MAX_CLASSES
                && (!one.is_wanted || graph_add(graph, klass, object == NULL ? NULL : loader, one.name));
        klass = valid ? one.next : NULL;
    }
    return valid;
}

static void graph_clear(struct graph *graph) {
    for (int i = 0; i < graph->count; i++) {
        free(graph->classes[i].name);
    }
    graph->count = 0;
    graph->visited = 0;
}

/* Returns true if one of the classes from this one on is java.lang.Object. */
static bool graph_has_object(const struct graph *graph, int from) {
    bool has = false;
    for (int i = from; i < graph->count && !has; i++) {
        has = graph->classes[i].loader == 0 && strcmp(graph->classes[i].name, "java/lang/Object") == 0;
    }
    return has;
}

/*
 * Reads all loaders. The last one must be the boot loader, which is the oldest: a loader that is unloaded meanwhile may
 * lead to a list of unloaded ones, in which each element names its list, too.
 */
static bool graph_read_all(struct graph *graph) {
    const char *loader;
    int last = 0;
    bool valid = memory_read(graph->fields[GRAPH_HEAD].address, &loader, sizeof loader);
    for (int i = 0; valid && loader != NULL; i++) {
        last = graph->count;
        valid = i < MAX_LOADERS && graph_read_loader(graph, loader)
                && graph_pointer(graph, loader, LOADER_NEXT, &loader);
    }
    return valid && graph_has_object(graph, last);
}

/* Returns an Object[] of a long[], which has the Klass and the ClassLoaderData of each class, and of each name. */
static jobjectArray graph_to_java(JNIEnv *env, const struct graph *graph) {
    jclass object = class_find(env, "java/lang/Object");
    jobjectArray result = object == NULL ? NULL : (*env)->NewObjectArray(env, 1 + graph->count, object, NULL);
    jlongArray numbers = result == NULL ? NULL : (*env)->NewLongArray(env, 2 * graph->count);
    if (numbers == NULL) {
        return NULL;
    }
    (*env)->SetObjectArrayElement(env, result, 0, numbers);
    for (int i = 0; i < graph->count; i++) {
        jlong pair[] = {graph->classes[i].klass, graph->classes[i].loader};
        (*env)->SetLongArrayRegion(env, numbers, 2 * i, 2, pair);
        jstring name = (*env)->NewStringUTF(env, graph->classes[i].name);
        if (name == NULL) {
            return NULL;
        }
        (*env)->SetObjectArrayElement(env, result, i + 1, name);
        (*env)->DeleteLocalRef(env, name);
    }
    return result;
}

/*
 * Returns the loaded classes that are not arrays; NULL if the JVM does not describe the lists, or if they changed
 * during each attempt. An exception thrown by the JVM stays pending.
 */
jobjectArray class_graph_read(JNIEnv *env) {
    struct graph graph = {.classes = NULL};
    bool read = false;
    for (int i = 0; i < TRIES && !read && graph_places(&graph); i++) {
        graph_clear(&graph);
        read = graph_read_all(&graph);
    }
    jobjectArray result = read ? graph_to_java(env, &graph) : NULL;
    graph_clear(&graph);
    free(graph.classes);
    return result;
}
