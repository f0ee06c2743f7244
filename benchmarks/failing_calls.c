/* Fails one call of the C library below a folder: the FAULT_AT-th, in all processes together.

   Loaded by LD_PRELOAD (Linux). FAULT_FOLDER is the folder, FAULT_ERRNO the error, and FAULT_COUNTER
   a file of 8 bytes that all processes map to count the calls; FAULT_AT=0 only counts. The name of the
   call that failed is written to the file FAULT_LOG. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *folder;
static long fail_at, error_number;
static volatile long *counter;

__attribute__((constructor)) static void set_up(void) {
    const char *path = getenv("FAULT_COUNTER");
    if (!path) return;
    int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR, 0);
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (mapped == MAP_FAILED) return;
    folder = getenv("FAULT_FOLDER");
    fail_at = atol(getenv("FAULT_AT"));
    error_number = atol(getenv("FAULT_ERRNO"));
    counter = mapped;
}

static int fails(const char *call) {
    if (__sync_add_and_fetch(counter, 1) != fail_at) return 0;
    int log = syscall(SYS_openat, AT_FDCWD, getenv("FAULT_LOG"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    syscall(SYS_write, log, call, strlen(call));
    syscall(SYS_close, log);
    errno = error_number;
    return 1;
}

static int is_below(const char *path) {
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static int descriptor_is_below(int descriptor) {
    char link[64], path[PATH_MAX];
    if (!counter) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_below(path);
}

static int path_is_below(int at, const char *path) {
    char current[PATH_MAX], joined[2 * PATH_MAX];
    if (!counter || !path) return 0;
    if (path[0] == '/') return is_below(path);
    if (at != AT_FDCWD) return descriptor_is_below(at);
    if (!getcwd(current, sizeof current)) return 0;
    snprintf(joined, sizeof joined, "%s/%s", current, path);
    return is_below(joined);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define ON_DESCRIPTOR(type, name, parameters, arguments, descriptor) \
    type name parameters {                                           \
        if (descriptor_is_below(descriptor) && fails(#name)) return -1; \
        return REAL(name) arguments;                                 \
    }
#define ON_PATH(name, parameters, arguments, at, path)           \
    int name parameters {                                        \
        if (path_is_below(at, path) && fails(#name)) return -1;  \
        return REAL(name) arguments;                             \
    }
#define OPENING(name, parameters, at, path, flags, call)                     \
    int name parameters {                                                    \
        mode_t mode = 0;                                                     \
        if (flags & (O_CREAT | O_TMPFILE)) {                                 \
            va_list rest;                                                    \
            va_start(rest, flags);                                           \
            mode = va_arg(rest, mode_t);                                     \
            va_end(rest);                                                    \
        }                                                                    \
        if (path_is_below(at, path) && fails(#name)) return -1;              \
        return call;                                                         \
    }

OPENING(open, (const char *path, int flags, ...), AT_FDCWD, path, flags, REAL(open)(path, flags, mode))
OPENING(open64, (const char *path, int flags, ...), AT_FDCWD, path, flags, REAL(open64)(path, flags, mode))
OPENING(openat, (int at, const char *path, int flags, ...), at, path, flags, REAL(openat)(at, path, flags, mode))
OPENING(openat64, (int at, const char *path, int flags, ...), at, path, flags, REAL(openat64)(at, path, flags, mode))

ON_DESCRIPTOR(ssize_t, write, (int file, const void *data, size_t size), (file, data, size), file)
ON_DESCRIPTOR(ssize_t, pwrite, (int file, const void *data, size_t size, off_t at), (file, data, size, at), file)
ON_DESCRIPTOR(ssize_t, pwrite64, (int file, const void *data, size_t size, off64_t at), (file, data, size, at), file)
ON_DESCRIPTOR(int, fsync, (int file), (file), file)
ON_DESCRIPTOR(int, fdatasync, (int file), (file), file)
ON_DESCRIPTOR(int, fchmod, (int file, mode_t mode), (file, mode), file)
ON_DESCRIPTOR(int, ftruncate, (int file, off_t size), (file, size), file)
ON_DESCRIPTOR(int, ftruncate64, (int file, off64_t size), (file, size), file)

ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
ON_PATH(mkdirat, (int at, const char *path, mode_t mode), (at, path, mode), at, path)
ON_PATH(rmdir, (const char *path), (path), AT_FDCWD, path)
ON_PATH(unlink, (const char *path), (path), AT_FDCWD, path)
ON_PATH(unlinkat, (int at, const char *path, int flags), (at, path, flags), at, path)
ON_PATH(rename, (const char *path, const char *to), (path, to), AT_FDCWD, path)
ON_PATH(renameat, (int at, const char *path, int to_at, const char *to), (at, path, to_at, to), at, path)
ON_PATH(renameat2, (int at, const char *path, int to_at, const char *to, unsigned flags), (at, path, to_at, to, flags), at, path)
ON_PATH(link, (const char *path, const char *to), (path, to), AT_FDCWD, path)
ON_PATH(linkat, (int at, const char *path, int to_at, const char *to, int flags), (at, path, to_at, to, flags), at, path)
ON_PATH(symlink, (const char *target, const char *path), (target, path), AT_FDCWD, path)
