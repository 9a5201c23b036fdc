/* The search for a path of references from a GC root to an object. */
#ifndef MAYFLY_HEAP_PATH_H
#define MAYFLY_HEAP_PATH_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Bounds of a search that its user permits to stop the program for longer: bytes in use in the heap, and the duration
 * of a pass.
 */
#define PATH_PERMITTED_HEAP (512ll << 20)
#define PATH_PERMITTED_NANOS 150000000ull

/* An object from which the target is reachable. Its tag is its number, from 1. */
struct path_node {
    jlong next;                     /* the object that it refers to; 0 for a target */
    jvmtiHeapReferenceKind kind;    /* the kind of that reference */
    jint index;                     /* the index of an array's element; otherwise -1 */
};

/* The reference from a root to a node. */
struct path_root {
    jlong node;
    jvmtiHeapReferenceKind kind;
    jmethodID method;               /* method of a local variable or local reference, or NULL */
    jlong thread;                   /* id of the thread, or 0 */
};

struct path_search {
    struct path_node *nodes;
    jlong count;
    jlong targets;                  /* the first nodes: the objects whose path is searched */
    jlong reached;                  /* last node known when the pass began */
    struct path_root root;
    struct path_root last_choice;   /* the first root that is used only if no other is found */
    uint64_t pass_nanos;            /* upper bound on a pass, ns of CPU time of the thread that stops the others */
    uint64_t last_pause;            /* a pass that took longer, ns of real time, is the last one */
    uint64_t pause;                 /* the longest pass, ns of real time */
    uint64_t began;                 /* by the CPU clock of the searching thread */
    uint32_t seen;
    bool late;
    bool full;
};

bool heap_path_begin(jvmtiEnv *jvmti, JNIEnv *env, struct path_search *in);
void heap_path_seek(jvmtiEnv *jvmti, struct path_search *in, jobject target);
void heap_path_run(jvmtiEnv *jvmti, struct path_search *in);
void heap_path_end(struct path_search *in);
jobject heap_path_object(jvmtiEnv *jvmti, JNIEnv *env, jlong node);
jlong heap_in_use(JNIEnv *env);

#endif
