/*
 * The methods and fields of a class, read from the JVM's own description of the class (instanceKlass.hpp, method.hpp,
 * fieldInfo.hpp in HotSpot). Reflection would load the classes that a descriptor names, by the program's class loaders,
 * and would leave a cache with the class; JVMTI would leave a method id for each method.
 *
 * The caller's reference keeps the class loaded. Its description may still be replaced meanwhile, if an agent redefines
 * the class, so each read is checked by the kernel, and a result counts only if the description is unchanged at the
 * end.
 */
#define _GNU_SOURCE
#include "members.h"
#include "classes.h"
#include "field_stream.h"
#include "memory.h"
#include "runtimes.h"
#include "tables.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Upper bounds: those of the class file format (JVMS 4), and the bytes of a stream of fields. */
enum { MAX_MEMBERS = 65535, MAX_TEXT = 65535, MAX_STREAM = 1 << 21 };

/* A read is repeated this often if the class is redefined meanwhile. */
enum { ATTEMPTS = 3 };

/* JVMS 4.6 and 4.5: the flags of methods and fields that a class file may have. */
enum { METHOD_FLAGS = 0x1dff, FIELD_FLAGS = 0x50df };

/* ConstMethodFlags: a method that the JVM has generated; no class file contains it. */
enum { IS_OVERPASS = 1 << 6 };

/* Up to JDK 20: 16-bit numbers for each field, and the positions of three of them. */
enum { FIELD_SLOTS = 6, FIELD_ACCESS = 0, FIELD_NAME = 1, FIELD_SIGNATURE = 2 };

struct members_layout {
    uint64_t mirror_klass;
    uint64_t layout_helper;
    uint64_t methods;
    uint64_t constants;
    uint64_t stream;
    uint64_t fields;
    uint64_t fields_count;
    uint64_t const_method;
    uint64_t access;
    uint64_t method_constants;
    uint64_t method_flags;
    uint64_t name_index;
    uint64_t signature_index;
    uint64_t number;
    uint64_t code_size;
    uint64_t pool_length;
    uint64_t array_length;
    uint64_t array_pointers;
    uint64_t array_bytes;
    uint64_t array_shorts;
    uint64_t symbol_length;
    uint64_t symbol_body;
    uint64_t pool_size;
};

/* A field of the JVM with the name that it had in older JDKs or NULL, and the place of its offset in the layout. */
struct member_row {
    const char *type;
    const char *name;
    const char *older;
    size_t at;
};

#define ROW(TYPE, NAME, OLDER, FIELD) {TYPE, NAME, OLDER, offsetof(struct members_layout, FIELD)}

static const struct member_row member_rows[] = {
    ROW("Klass", "_layout_helper", NULL, layout_helper),
    ROW("InstanceKlass", "_methods", NULL, methods),
    ROW("InstanceKlass", "_constants", NULL, constants),
    ROW("Method", "_constMethod", NULL, const_method),
    ROW("Method", "_access_flags", NULL, access),
    ROW("ConstMethod", "_constants", NULL, method_constants),
    ROW("ConstMethod", "_flags._flags", "_flags", method_flags),
    ROW("ConstMethod", "_name_index", NULL, name_index),
    ROW("ConstMethod", "_signature_index", NULL, signature_index),
    ROW("ConstMethod", "_method_idnum", NULL, number),
    ROW("ConstMethod", "_code_size", NULL, code_size),
    ROW("ConstantPool", "_length", NULL, pool_length),
    ROW("Array<int>", "_length", NULL, array_length),
    ROW("Array<Method*>", "_data", NULL, array_pointers),
    ROW("Array<u1>", "_data", NULL, array_bytes),
    ROW("Array<u2>", "_data", NULL, array_shorts),
    ROW("Symbol", "_length", NULL, symbol_length),
    ROW("Symbol", "_body", NULL, symbol_body),
};

/* The rows of one kind of description of the fields; a JVM has the first or the other two. */
static const struct member_row stream_row = ROW("InstanceKlass", "_fieldinfo_stream", NULL, stream);
static const struct member_row array_rows[] = {
    ROW("InstanceKlass", "_fields", NULL, fields), ROW("InstanceKlass", "_java_fields_count", NULL, fields_count),
};

static pthread_mutex_t members_lock = PTHREAD_MUTEX_INITIALIZER;
static enum { LAYOUT_UNREAD, LAYOUT_READ, LAYOUT_UNKNOWN } members_state = LAYOUT_UNREAD;
static struct members_layout members_layout;

static bool layout_take(void *jvm, const struct member_row *row, struct members_layout *into) {
    struct field_place place;
    bool found = table_field(jvm, row->type, row->name, &place)
            || (row->older != NULL && table_field(jvm, row->type, row->older, &place));
    if (found) {
        memcpy((char *)into + row->at, &place.offset, sizeof place.offset);
    }
    return found;
}

static bool layout_read(void *jvm, struct members_layout *into) {
    struct field_place mirror;
    bool complete = table_field(jvm, "java_lang_Class", "_klass_offset", &mirror) && mirror.address != NULL;
    for (size_t i = 0; i < sizeof member_rows / sizeof member_rows[0] && complete; i++) {
        complete = layout_take(jvm, &member_rows[i], into);
    }
    into->pool_size = table_size(jvm, "ConstantPool");
    if (!complete || into->pool_size == 0) {
        return false;
    }
    into->mirror_klass = (uint64_t)*(const int32_t *)mirror.address;
    return layout_take(jvm, &stream_row, into)
            || (layout_take(jvm, &array_rows[0], into) && layout_take(jvm, &array_rows[1], into));
}

/* Returns the layout; NULL if this JVM does not describe it. */
static const struct members_layout *layout_known(void) {
    pthread_mutex_lock(&members_lock);
    if (members_state == LAYOUT_UNREAD) {
        void *jvm = runtime_library();
        members_state = jvm != NULL && layout_read(jvm, &members_layout) ? LAYOUT_READ : LAYOUT_UNKNOWN;
        if (jvm != NULL) {
            dlclose(jvm);
        }
    }
    bool known = members_state == LAYOUT_READ;
    pthread_mutex_unlock(&members_lock);
    return known ? &members_layout : NULL;
}

/* ---- Reading ---- */

static bool read_at(uint64_t address, uint64_t offset, void *to, size_t size) {
    return address != 0 && memory_read((const void *)(uintptr_t)(address + offset), to, size);
}

static bool read_pointer(uint64_t address, uint64_t offset, uint64_t *to) {
    return read_at(address, offset, to, sizeof *to) && *to != 0;
}

/* Returns the text of a symbol in a constant pool, which the caller frees; NULL if it cannot be read. */
static char *read_text(const struct members_layout *in, uint64_t pool, uint16_t index) {
    int32_t length;
    uint64_t symbol;
    uint16_t bytes;
    if (!read_at(pool, in->pool_length, &length, sizeof length) || index == 0 || index >= length
            || !read_pointer(pool, in->pool_size + 8u * index, &symbol)
            || !read_at(symbol, in->symbol_length, &bytes, sizeof bytes)) {
        return NULL;
    }
    char *text = malloc((size_t)bytes + 1);
    if (text == NULL || !read_at(symbol, in->symbol_body, text, bytes)) {
        free(text);
        return NULL;
    }
    text[bytes] = 0;
    return text;
}

/* Returns the JVM's description of a class, 0 for an array or a primitive type, or if it cannot be read. */
static uint64_t klass_of(JNIEnv *env, const struct members_layout *in, jclass class, int32_t *layout_helper) {
    jclass unsafe_class = class_find(env, "jdk/internal/misc/Unsafe");
    jfieldID only = unsafe_class == NULL ? NULL
            : (*env)->GetStaticFieldID(env, unsafe_class, "theUnsafe", "Ljdk/internal/misc/Unsafe;");
    jobject unsafe = only == NULL ? NULL : (*env)->GetStaticObjectField(env, unsafe_class, only);
    jmethodID get = unsafe == NULL ? NULL : (*env)->GetMethodID(env, unsafe_class, "getLong", "(Ljava/lang/Object;J)J");
    uint64_t klass = get == NULL ? 0
            : (uint64_t)(*env)->CallLongMethod(env, unsafe, get, class, (jlong)in->mirror_klass);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        klass = 0;
    }
    (*env)->DeleteLocalRef(env, unsafe);
    (*env)->DeleteLocalRef(env, unsafe_class);
    bool is_class = read_at(klass, in->layout_helper, layout_helper, sizeof *layout_helper) && *layout_helper >= 0;
    return is_class ? klass : 0;
}

/* ---- Methods and fields ---- */

struct member {
    uint16_t number;        /* as in ConstMethod::_method_idnum; of a field, its index: it lasts as long as the class */
    uint16_t code_size;     /* of a method, in bytes */
    uint16_t modifiers;
    bool left_out;          /* the JVM has generated it, or another one is wanted */
    uint64_t constant;      /* of a method: the address of its ConstMethod; 0 if another one is wanted */
    uint64_t pool;
    uint16_t name;
    uint16_t signature;
};

/*
 * Reads the methods of a class, or its fields; of those that are left out, the number only. Returns their number, or
 * -1; the caller frees the result.
 */
typedef int32_t members_reader(const struct members_layout *in, uint64_t klass, int32_t wanted,
        struct member **members);

static bool is_wanted(int32_t wanted, uint16_t number) {
    return wanted == MEMBERS_ALL || wanted == number;
}

static bool read_method(const struct members_layout *in, uint64_t method, int32_t wanted, struct member *into) {
    uint64_t constant = 0;
    uint16_t flags;
    bool read = read_pointer(method, in->const_method, &constant)
            && read_at(constant, in->number, &into->number, sizeof into->number);
    if (read && !is_wanted(wanted, into->number)) {
        into->left_out = true;
        return true;
    }
    read = read && read_at(method, in->access, &into->modifiers, sizeof into->modifiers)
            && read_pointer(constant, in->method_constants, &into->pool)
            && read_at(constant, in->method_flags, &flags, sizeof flags)
            && read_at(constant, in->name_index, &into->name, sizeof into->name)
            && read_at(constant, in->signature_index, &into->signature, sizeof into->signature)
            && read_at(constant, in->code_size, &into->code_size, sizeof into->code_size);
    into->modifiers &= METHOD_FLAGS;
    into->constant = constant;
    into->left_out = read && (flags & IS_OVERPASS) != 0;
    return read;
}

static int32_t read_methods(const struct members_layout *in, uint64_t klass, int32_t wanted,
        struct member **members) {
    uint64_t array;
    uint64_t again;
    int32_t count;
    if (!read_pointer(klass, in->methods, &array) || !read_at(array, in->array_length, &count, sizeof count)
            || count < 0 || count > MAX_MEMBERS) {
        return -1;
    }
    uint64_t *methods = calloc((size_t)count + 1, sizeof *methods);
    struct member *all = calloc((size_t)count + 1, sizeof *all);
    bool read = methods != NULL && all != NULL
            && read_at(array, in->array_pointers, methods, (size_t)count * sizeof *methods);
    for (int32_t i = 0; i < count && read; i++) {
        read = read_method(in, methods[i], wanted, &all[i]);
    }
    free(methods);
    if (!read || !read_pointer(klass, in->methods, &again) || again != array) {
        free(all);
        return -1;
    }
    *members = all;
    return count;
}

/* Up to JDK 20 the fields are an array of 16-bit numbers. */
static int32_t read_field_array(const struct members_layout *in, uint64_t klass, uint64_t pool, int32_t wanted,
        struct member **members) {
    uint64_t array;
    int32_t length;
    uint16_t count;
    if (!read_pointer(klass, in->fields, &array) || !read_at(array, in->array_length, &length, sizeof length)
            || !read_at(klass, in->fields_count, &count, sizeof count) || length < count * FIELD_SLOTS) {
        return -1;
    }
    uint16_t *slots = calloc((size_t)count * FIELD_SLOTS + 1, sizeof *slots);
    struct member *all = calloc((size_t)count + 1, sizeof *all);
    bool read = slots != NULL && all != NULL
            && read_at(array, in->array_shorts, slots, (size_t)count * FIELD_SLOTS * sizeof *slots);
    for (int32_t i = 0; i < count && read; i++) {
        const uint16_t *slot = slots + i * FIELD_SLOTS;
        all[i] = (struct member){.number = (uint16_t)i, .modifiers = slot[FIELD_ACCESS] & FIELD_FLAGS, .pool = pool,
            .name = slot[FIELD_NAME], .signature = slot[FIELD_SIGNATURE], .left_out = !is_wanted(wanted, (uint16_t)i)};
    }
    free(slots);
    if (!read) {
        free(all);
        return -1;
    }
    *members = all;
    return count;
}

/* Since JDK 21 the fields are a stream of compressed numbers; the fields that the JVM injects come last. */
static int32_t read_field_stream(const struct members_layout *in, uint64_t klass, uint64_t pool, int32_t wanted,
        struct member **members) {
    uint64_t array;
    int32_t length;
    if (!read_pointer(klass, in->stream, &array) || !read_at(array, in->array_length, &length, sizeof length)
            || length < 0 || length > MAX_STREAM) {
        return -1;
    }
    uint32_t count = 0;
    struct member *all = NULL;
    uint8_t *bytes = malloc((size_t)length + 1);
    bool read = bytes != NULL && read_at(array, in->array_bytes, bytes, (size_t)length);
    struct field_stream stream;
    read = read && field_stream_begin(&stream, bytes, (size_t)length, &count) && count <= MAX_MEMBERS;
    all = read ? calloc((size_t)count + 1, sizeof *all) : NULL;
    read = all != NULL;
    for (uint32_t i = 0; i < count && read; i++) {
        struct streamed_field field;
        read = field_stream_next(&stream, &field);
        all[i] = (struct member){.number = (uint16_t)i, .modifiers = field.access & FIELD_FLAGS, .pool = pool,
            .name = field.name, .signature = field.signature, .left_out = !is_wanted(wanted, (uint16_t)i)};
    }
    free(bytes);
    if (!read) {
        free(all);
        return -1;
    }
    *members = all;
    return (int32_t)count;
}

static int32_t read_fields(const struct members_layout *in, uint64_t klass, int32_t wanted,
        struct member **members) {
    uint64_t pool;
    uint64_t again;
    if (!read_pointer(klass, in->constants, &pool)) {
        return -1;
    }
    int32_t count = in->stream != 0 ? read_field_stream(in, klass, pool, wanted, members)
            : read_field_array(in, klass, pool, wanted, members);
    if (count >= 0 && (!read_pointer(klass, in->constants, &again) || again != pool)) {
        free(*members);
        return -1;
    }
    return count;
}

static int32_t read_members(const struct members_layout *in, uint64_t klass, bool fields, int32_t wanted,
        struct member **members) {
    members_reader *reader = fields ? read_fields : read_methods;
    int32_t count = -1;
    for (int i = 0; i < ATTEMPTS && count < 0; i++) {
        count = reader(in, klass, wanted, members);
    }
    return count;
}

/* ---- Results ---- */

/* Stores a text of the class; false if it cannot be read or there is no memory. */
static bool put_text(JNIEnv *env, const struct members_layout *in, jobjectArray into, jsize at, uint64_t pool,
        uint16_t index) {
    char *text = read_text(in, pool, index);
    jstring string = text == NULL ? NULL : (*env)->NewStringUTF(env, text);
    free(text);
    if (string == NULL) {
        return false;
    }
    (*env)->SetObjectArrayElement(env, into, at, string);
    (*env)->DeleteLocalRef(env, string);
    return true;
}

/*
 * Stores the members that the class file declares: an int[] of number, modifiers and code size of each, then name and
 * type.
 */
static jobjectArray members_to_java(JNIEnv *env, const struct members_layout *in, const struct member *members,
        int32_t count) {
    jsize declared = 0;
    for (int32_t i = 0; i < count; i++) {
        declared += !members[i].left_out;
    }
    jclass object = class_find(env, "java/lang/Object");
    jobjectArray result = object == NULL ? NULL : (*env)->NewObjectArray(env, 1 + 2 * declared, object, NULL);
    jintArray numbers = result == NULL ? NULL : (*env)->NewIntArray(env, 3 * declared);
    bool made = numbers != NULL;
    jsize at = 0;
    for (int32_t i = 0; i < count && made; i++) {
        if (!members[i].left_out) {
            jint three[] = {members[i].number, members[i].modifiers, members[i].code_size};
            (*env)->SetIntArrayRegion(env, numbers, 3 * at, 3, three);
            made = put_text(env, in, result, 1 + 2 * at, members[i].pool, members[i].name)
                    && put_text(env, in, result, 2 + 2 * at, members[i].pool, members[i].signature);
            at++;
        }
    }
    if (made) {
        (*env)->SetObjectArrayElement(env, result, 0, numbers);
    }
    (*env)->DeleteLocalRef(env, numbers);
    (*env)->DeleteLocalRef(env, object);
    return made ? result : NULL;
}

/* Returns the address of the constants of a class, which change if an agent redefines it; 0 if it cannot be read. */
static uint64_t members_mark(const struct members_layout *in, uint64_t klass) {
    uint64_t pool;
    return read_pointer(klass, in->constants, &pool) ? pool : 0;
}

/*
 * Returns the methods or the fields that a class declares, or the one of that number; NULL if this JVM does not
 * describe them as expected, and for an array or a primitive type. An exception thrown by the JVM, which has no
 * memory, stays pending.
 */
jobjectArray members_list(JNIEnv *env, jclass class, bool fields, jint number) {
    const struct members_layout *in = layout_known();
    int32_t helper;
    uint64_t klass = in == NULL ? 0 : klass_of(env, in, class, &helper);
    struct member *members = NULL;
    jobjectArray result = NULL;
    for (int i = 0; i < ATTEMPTS && klass != 0 && result == NULL && !(*env)->ExceptionCheck(env); i++) {
        uint64_t before = members_mark(in, klass);
        int32_t count = read_members(in, klass, fields, number, &members);
        result = count < 0 ? NULL : members_to_java(env, in, members, count);
        if (count >= 0) {
            free(members);
        }
        if (result != NULL && members_mark(in, klass) != before) {
            (*env)->DeleteLocalRef(env, result);    /* the names may be those of another description */
            result = NULL;
        }
    }
    return result;
}

/* Returns the number of the only method of that name; -1 if there are several or none, or they cannot be read. */
jint member_number(JNIEnv *env, jclass class, jstring name) {
    const struct members_layout *in = layout_known();
    int32_t helper;
    uint64_t klass = in == NULL ? 0 : klass_of(env, in, class, &helper);
    struct member *members = NULL;
    int32_t count = klass == 0 ? -1 : read_members(in, klass, false, MEMBERS_ALL, &members);
    const char *wanted = count < 0 ? NULL : (*env)->GetStringUTFChars(env, name, NULL);
    jint found = -1;
    for (int32_t i = 0; i < count && wanted != NULL; i++) {
        char *text = read_text(in, members[i].pool, members[i].name);
        if (text == NULL || (strcmp(text, wanted) == 0 && found >= 0)) {
            found = -1;
            count = 0;
        } else if (strcmp(text, wanted) == 0) {
            found = members[i].number;
        }
        free(text);
    }
    if (wanted != NULL) {
        (*env)->ReleaseStringUTFChars(env, name, wanted);
    }
    (*env)->ExceptionClear(env);
    free(members);
    return found;
}

/* Returns the address of the ConstMethod of the method with that number; 0 if there is none, or it cannot be read. */
uint64_t member_constant(JNIEnv *env, jclass class, jint number) {
    const struct members_layout *in = layout_known();
    int32_t helper;
    uint64_t klass = in == NULL ? 0 : klass_of(env, in, class, &helper);
    struct member *members = NULL;
    int32_t count = klass == 0 ? -1 : read_members(in, klass, false, number, &members);
    uint64_t found = 0;
    for (int32_t i = 0; i < count && found == 0; i++) {
        found = members[i].constant;
    }
    free(members);
    return found;
}

/* Returns the size of an instance in bytes; 0 for an array or a primitive type, or if it cannot be read. */
jint members_instance_size(JNIEnv *env, jclass class) {
    const struct members_layout *in = layout_known();
    int32_t helper = 0;
    return in == NULL || klass_of(env, in, class, &helper) == 0 ? 0 : helper & ~7;
}
