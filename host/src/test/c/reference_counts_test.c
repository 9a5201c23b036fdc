/* The table of references between classes, and the visit of one reference. */
#include "../../main/c/reference_counts.c"

#include "check.h"

#include <string.h>

/* ---- Doubles: the files that the tested functions do not reach ---- */

jvmtiEnv *events_temporary(JNIEnv *env) { (void)env; abort(); }
enum failure heap_make_room(JNIEnv *env, size_t bytes) { (void)env; (void)bytes; abort(); }

static struct reference_counts counts;

static void begin(uint64_t limit) {
    free(counts.slots);
    counts = (struct reference_counts){.limit = limit, .slots = calloc(SLOTS, sizeof *counts.slots)};
}

static jint visit(jint kind, jlong class_tag, jlong referrer_class_tag, jlong size, jlong *referrer_tag) {
    jlong tag = 0;
    return on_counted_reference((jvmtiHeapReferenceKind)kind, NULL, class_tag, referrer_class_tag, size, &tag,
            referrer_tag, -1, &counts);
}

static const struct reference_row *row_of(jint from, jint to, jint kind) {
    jint before = counts.rows;
    const struct reference_row *row = count_row(&counts, from, to, kind);
    CHECK(row != NULL && counts.rows == before);
    return row;
}

static void referencesOfAKindBetweenTwoClassesAreAdded(void) {
    jlong untagged = 0;
    begin(UINT64_MAX);
    for (int i = 0; i < 10; i++) {
        CHECK(visit(JVMTI_HEAP_REFERENCE_FIELD, 2, 1, 16, &untagged) == JVMTI_VISIT_OBJECTS);
    }
    CHECK(visit(JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT, 2, 1, 24, &untagged) == JVMTI_VISIT_OBJECTS);
    CHECK(visit(JVMTI_HEAP_REFERENCE_FIELD, 1, 2, 40, &untagged) == JVMTI_VISIT_OBJECTS);
    CHECK(counts.rows == 3);
    CHECK(row_of(1, 2, JVMTI_HEAP_REFERENCE_FIELD)->count == 10);
    CHECK(row_of(1, 2, JVMTI_HEAP_REFERENCE_FIELD)->bytes == 160);
    CHECK(row_of(1, 2, JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT)->bytes == 24);
    CHECK(row_of(2, 1, JVMTI_HEAP_REFERENCE_FIELD)->count == 1);
}

/* The Class object of class 7 is an object of java.lang.Class, which has the number 3. */
static void referencesOfAClassAreItsOwnAndItsFieldsThoseOfClass(void) {
    jlong class_object = 7;
    begin(UINT64_MAX);
    visit(JVMTI_HEAP_REFERENCE_STATIC_FIELD, 5, 3, 16, &class_object);
    visit(JVMTI_HEAP_REFERENCE_SUPERCLASS, 3, 3, 100, &class_object);
    visit(JVMTI_HEAP_REFERENCE_FIELD, 5, 3, 16, &class_object);
    visit(JVMTI_HEAP_REFERENCE_CLASS, 3, 3, 100, &class_object);
    CHECK(row_of(7, 5, JVMTI_HEAP_REFERENCE_STATIC_FIELD)->count == 1);
    CHECK(row_of(7, 3, JVMTI_HEAP_REFERENCE_SUPERCLASS)->count == 1);
    CHECK(row_of(3, 5, JVMTI_HEAP_REFERENCE_FIELD)->count == 1);
    CHECK(row_of(3, 3, JVMTI_HEAP_REFERENCE_CLASS)->count == 1);
}

static void aRootHasNoClass(void) {
    begin(UINT64_MAX);
    visit(JVMTI_HEAP_REFERENCE_THREAD, 4, 0, 64, NULL);
    CHECK(row_of(0, 4, JVMTI_HEAP_REFERENCE_THREAD)->bytes == 64);
}

static void moreRowsThanTheTableHasEndTheVisit(void) {
    jlong untagged = 0;
    begin(UINT64_MAX);
    for (jint i = 0; i < MAX_ROWS; i++) {
        CHECK(visit(JVMTI_HEAP_REFERENCE_FIELD, i % 1000, i / 1000, 8, &untagged) == JVMTI_VISIT_OBJECTS);
    }
    CHECK(counts.rows == MAX_ROWS && !counts.full);
    CHECK(visit(JVMTI_HEAP_REFERENCE_FIELD, 999, 0, 8, &untagged) == JVMTI_VISIT_OBJECTS);
    CHECK(visit(JVMTI_HEAP_REFERENCE_FIELD, 1000, 0, 8, &untagged) == JVMTI_VISIT_ABORT);
    CHECK(counts.full && !counts.late && row_of(0, 999, JVMTI_HEAP_REFERENCE_FIELD)->count == 2);
}

static void aVisitThatTakesTooLongEnds(void) {
    jlong untagged = 0;
    jint visited = 0;
    begin(0);
    while (visited < 100 * CLOCK_EVERY
            && visit(JVMTI_HEAP_REFERENCE_FIELD, 2, 1, 8, &untagged) == JVMTI_VISIT_OBJECTS) {
        visited++;
    }
    CHECK(counts.late && visited >= CLOCK_EVERY && visited % CLOCK_EVERY == 0);
}

int main(void) {
    RUN(referencesOfAKindBetweenTwoClassesAreAdded);
    RUN(referencesOfAClassAreItsOwnAndItsFieldsThoseOfClass);
    RUN(aRootHasNoClass);
    RUN(moreRowsThanTheTableHasEndTheVisit);
    RUN(aVisitThatTakesTooLongEnds);
    free(counts.slots);
}
