/*
 * silentfs FOLDER root|nobody|cover: serves a FUSE file system on FOLDER/fuse. Reads of its only file, libjvm.so, never
 * complete. Also runs a process that has mapped the file. Prints "READY PID", and ends with its standard input.
 *
 * - root: the file system and the process belong to root. A read waits until it is killed, as with an unreachable NFS
 *   server.
 * - nobody: both belong to an ordinary user. The process has mapped the file through an overlay in its own namespaces,
 *   through which root can reach it. A killed read continues to wait.
 * - cover: both belong to an ordinary user. The process has mapped FOLDER/copy/libjvm.so, of a trusted file system, and
 *   has mounted the overlay over its folder. A lookup of the name in the overlay does not complete until the server
 *   ends by itself, so that a failing test ends too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NOBODY = 65534, LENGTH = 1 << 20, FILE_ID = 2, LOWER = 3, LOWEST = 4 };
enum { VALID_SECONDS = 1000, COVERED_SECONDS = 45 };

static bool covers;

static void need(bool done, const char *what) {
    if (!done) {
        printf("%s: %s\n", what, strerror(errno));
        fflush(stdout);
        _exit(1);
    }
}

static struct fuse_attr attributes(unsigned long id) {
    struct fuse_attr attr = {.ino = id, .size = LENGTH, .blocks = LENGTH / 512, .nlink = 1, .blksize = 4096};
    attr.mode = id == FILE_ID ? S_IFREG | 0755 : S_IFDIR | 0755;
    return attr;
}

static void answer(int device, unsigned long unique, int error, const void *body, size_t length) {
    struct fuse_out_header header = {.len = sizeof header + length, .error = -error, .unique = unique};
    struct iovec parts[] = {{&header, sizeof header}, {(void *) body, length}};
    writev(device, parts, 2); /* fails if the reader was killed meanwhile */
}

static unsigned long look_up(const char *name, unsigned long in) {
    return strcmp(name, "libjvm.so") == 0 && in != LOWER ? FILE_ID
            : strcmp(name, "a") == 0 ? LOWER : strcmp(name, "b") == 0 ? LOWEST : 0;
}

static void serve_one(int device, struct fuse_in_header *in, bool killable) {
    switch (in->opcode) {
    case FUSE_INIT: {
        struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION, .minor = 31, .max_readahead = 65536,
            .flags = killable ? FUSE_ASYNC_READ : 0, .max_background = 12, .congestion_threshold = 10,
            .max_write = 65536};
        answer(device, in->unique, 0, &out, sizeof out);
        break;
    }
    case FUSE_LOOKUP: {
        if (covers && strcmp((char *) (in + 1), "libjvm.so") == 0) {
            break; /* never answered */
        }
        unsigned long id = look_up((char *) (in + 1), in->nodeid);
        struct fuse_entry_out out = {.nodeid = id, .entry_valid = VALID_SECONDS, .attr_valid = VALID_SECONDS,
            .attr = attributes(id)};
        answer(device, in->unique, id == 0 ? ENOENT : 0, &out, id == 0 ? 0 : sizeof out);
        break;
    }
    case FUSE_GETATTR: {
        struct fuse_attr_out out = {.attr_valid = VALID_SECONDS, .attr = attributes(in->nodeid)};
        answer(device, in->unique, 0, &out, sizeof out);
        break;
    }
    case FUSE_OPEN:
    case FUSE_OPENDIR: {
        /* Without FOPEN_KEEP_CACHE, the next open would wait for the read. */
        struct fuse_open_out out = {.fh = 1, .open_flags = FOPEN_KEEP_CACHE};
        answer(device, in->unique, 0, &out, sizeof out);
        break;
    }
    case FUSE_STATFS: {
        struct fuse_statfs_out out = {.st = {.blocks = 1000, .files = 1000, .bsize = 4096, .frsize = 4096,
                .namelen = 255}};
        answer(device, in->unique, 0, &out, sizeof out);
        break;
    }
    case FUSE_GETXATTR:
        answer(device, in->unique, ENODATA, NULL, 0);
        break;
    case FUSE_READDIR:
    case FUSE_FLUSH:
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
        answer(device, in->unique, 0, NULL, 0);
        break;
    case FUSE_READ: /* never answered */
    case FUSE_INTERRUPT:
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
        break;
    default:
        answer(device, in->unique, ENOSYS, NULL, 0);
    }
}

static void serve(int device, bool killable) {
    static union {
        struct fuse_in_header header;
        char bytes[1 << 17];
    } request;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(covers ? COVERED_SECONDS : 0);
    for (;;) {
        ssize_t n = read(device, &request, sizeof request - 1);
        if (n >= (ssize_t) sizeof request.header) {
            request.bytes[n] = 0;
            serve_one(device, &request.header, killable);
        } else if (errno != EINTR && errno != ENOENT && errno != EAGAIN) {
            _exit(0); /* unmounted */
        }
    }
}

/* Becomes an ordinary user, in namespaces of its own, and mounts an overlay that contains the file. */
static void overlay(void) {
    need(setgid(NOBODY) == 0 && setuid(NOBODY) == 0, "setuid");
    prctl(PR_SET_DUMPABLE, 1); /* otherwise its files in /proc still belong to root */
    need(unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0, "unshare");
    int map = open("/proc/self/uid_map", O_WRONLY);
    need(map >= 0 && write(map, "0 65534 1", 9) == 9 && close(map) == 0, "uid_map");
    int refuse = open("/proc/self/setgroups", O_WRONLY);
    need(refuse >= 0 && write(refuse, "deny", 4) == 4 && close(refuse) == 0, "setgroups");
    map = open("/proc/self/gid_map", O_WRONLY);
    need(map >= 0 && write(map, "0 65534 1", 9) == 9 && close(map) == 0, "gid_map");
    need(mount("none", "overlay", "tmpfs", 0, NULL) == 0 && mkdir("overlay/m", 0755) == 0, "mount tmpfs");
    need(mount("none", covers ? "copy" : "overlay/m", "overlay", 0, "lowerdir=fuse/a:fuse/b") == 0, "mount overlay");
}

static void map(int fd) {
    need(fd >= 0, "open libjvm.so");
    need(mmap(NULL, LENGTH, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED, "mmap");
}

static void neighbour(bool isRoot) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (covers) {
        map(open("copy/libjvm.so", O_RDONLY));
    }
    if (!isRoot) {
        overlay();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    if (!covers) {
        map(open(isRoot ? "fuse/libjvm.so" : "overlay/m/libjvm.so", O_RDONLY));
    }
    printf("READY %d\n", getpid());
    fflush(stdout);
    for (;;) {
        pause();
    }
}

int main(int argc, char **argv) {
    need(argc == 3 && chdir(argv[1]) == 0, "silentfs FOLDER root|nobody|cover");
    bool isRoot = strcmp(argv[2], "root") == 0;
    covers = strcmp(argv[2], "cover") == 0;
    mkdir("fuse", 0755);
    mkdir("overlay", 0755);
    need(chown("overlay", isRoot ? 0 : NOBODY, 0) == 0, "chown");
    need(unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "unshare");
    int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    need(device >= 0, "/dev/fuse");
    char options[128];
    unsigned user = isRoot ? 0 : NOBODY;
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%u,group_id=%u", device, user, user);
    need(mount("silent", "fuse", "fuse", MS_NOSUID | MS_NODEV, options) == 0, "mount fuse");
    if (fork() == 0) {
        serve(device, isRoot);
    }
    close(device);
    if (fork() == 0) {
        neighbour(isRoot);
    }
    while (getchar() != EOF) {
        continue;
    }
    return 0; /* both children end, and with them every read */
}
