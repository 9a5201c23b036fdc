/*
 * Detects that a compilation retains the profiler. While a compiler thread compiles a method, HotSpot has a global
 * reference to the loader of the method's class (CompileTask::select_for_compilation), so no collection unloads the
 * profiler. A compilation that waits in a queue has a weak reference. JVMTI reports the references of compilations
 * without the compilations, so native code that has a global reference to the loader is taken for one.
 */
#define _GNU_SOURCE
#include "compilations.h"
#include "events.h"
#include "java.h"

/*
 * The first JNI version of a JVM that keeps the marks of a walk in a separate table. An older JVM visits the whole heap
 * to remove the marks, unless the walk ends at a root.
 */
enum { JNI_VERSION_19_ = 0x00130000 };

struct roots {
    bool restores;      /* this JVM removes the marks of a walk that does not end at a root */
    bool found;
};

/*
 * Visits roots only. The JVM reports local variables first, then JNI global references, then classes of the boot loader
 * and its other references (VM_HeapWalkOperation::doit).
 */
static jint JNICALL on_root(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag,
        jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag, jint length, void *data) {
    struct roots *in = data;
    (void)info;
    (void)class_tag;
    (void)referrer_class_tag;
    (void)size;
    (void)length;
    in->found = in->found || (referrer_tag == NULL && *tag != 0 && is_global_reference(kind));
    bool over = in->found || referrer_tag != NULL || (in->restores && kind == JVMTI_HEAP_REFERENCE_SYSTEM_CLASS);
    return over ? JVMTI_VISIT_ABORT : 0;
}

static void tag_loader(jvmtiEnv *jvmti, JNIEnv *env, jobject loader) {
    if (loader != NULL) {
        (*jvmti)->SetTag(jvmti, loader, 1);
        (*env)->DeleteLocalRef(env, loader);
    }
}

static bool find_root(jvmtiEnv *jvmti, JNIEnv *env) {
    const jvmtiCapabilities tags = {.can_tag_objects = 1};
    const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_root};
    struct roots in = {.restores = (*env)->GetVersion(env) < JNI_VERSION_19_};
    if ((*jvmti)->AddCapabilities(jvmti, &tags) == JVMTI_ERROR_NONE) {
        tag_loader(jvmti, env, java_loader(env));
        tag_loader(jvmti, env, java_profilers_loader(env));
        tag_loader(jvmti, env, java_probes_loader(env));
        (*jvmti)->FollowReferences(jvmti, 0, NULL, NULL, &callbacks, &in);
    }
    return in.found;
}

/*
 * Returns true if a compilation of the profiler's code is running. Returns false if that is unknown, because JVMTI has
 * not been acquired and has a lasting cost. The program is stopped while the JVM visits its roots.
 */
bool compilations_retain(JNIEnv *env) {
    bool found = false;
    if ((*env)->PushLocalFrame(env, 16) != 0) {
        (*env)->ExceptionClear(env);
        return false;
    }
    jvmtiEnv *jvmti = events_temporary(env);
    if (jvmti != NULL) {
        found = find_root(jvmti, env);
        (*jvmti)->DisposeEnvironment(jvmti);
    }
    (*env)->PopLocalFrame(env, NULL);
    return found;
}
