/*
 * Preloaded into a server. Records, in order, every change of the folder $RECORD_FOLDER and every sync that
 * reports data as safe on the disk. It can also cut the power: the process dies right after the change
 * numbered $RECORD_CUT_AFTER. If $RECORD_CUT_FILE is set, only changes of files with such a name count. The
 * reader of the record decides what the disk would hold then.
 *
 * A record: kind, length of the path, offset or new length, length of the data, path, data.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_FILES 65536

static char *path_of[MOST_FILES];
static const char *folder;
static size_t folder_length;
static int record = -1;
static long cut_after = -1;
static const char *cut_file;
static long changes = 0;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

#define REAL(result, name, ...)                              \
  static result (*really)(__VA_ARGS__);                      \
  if (!really) really = (result(*)(__VA_ARGS__))real(#name)

__attribute__((constructor)) static void begin(void) {
  folder = getenv("RECORD_FOLDER");
  const char *file = getenv("RECORD_FILE");
  const char *cut = getenv("RECORD_CUT_AFTER");
  if (!folder || !file) return;
  folder_length = strlen(folder);
  if (cut) cut_after = atol(cut);
  cut_file = getenv("RECORD_CUT_FILE");
  record = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* Changes through mapped memory are not recorded. Only this file is mapped, and a power loss ends it. */
static int is_mapped(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, "-shm") == 0;
}

static int concerns(const char *path) {
  return record >= 0 && strncmp(path, folder, folder_length) == 0 &&
         (path[folder_length] == '/' || path[folder_length] == 0) && !is_mapped(path);
}

static const char *path_at(int fd) {
  if (record < 0 || fd < 0 || fd >= MOST_FILES || !path_of[fd]) return NULL;
  struct stat found;
  return fstat(fd, &found) == 0 && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) ? path_of[fd]
                                                                                      : NULL;
}

static void note(char kind, const char *path, uint64_t at, const void *data, uint32_t length) {
  struct __attribute__((packed)) {
    char kind;
    uint32_t path_length;
    uint64_t at;
    uint32_t data_length;
  } head = {kind, strlen(path), at, length};
  struct iovec parts[] = {
      {&head, sizeof head}, {(void *)path, head.path_length}, {(void *)data, length}};
  syscall(SYS_writev, record, parts, 3);
  const char *name = strrchr(path, '/') + 1;
  if (cut_file && fnmatch(cut_file, name, 0) != 0) return;
  if (++changes == cut_after) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
}

static int opened(int fd, const char *path, int flags, int was_there) {
  if (fd < 0 || fd >= MOST_FILES) return fd;
  free(path_of[fd]);
  path_of[fd] = concerns(path) ? strdup(path) : NULL;
  if (!path_of[fd]) return fd;
  if (!was_there) note('C', path, 0, NULL, 0);
  else if (flags & O_TRUNC) note('T', path, 0, NULL, 0);
  return fd;
}

#define OPEN(name)                                                         \
  int name(const char *path, int flags, ...) {                             \
    REAL(int, name, const char *, int, ...);                               \
    va_list more;                                                          \
    va_start(more, flags);                                                 \
    mode_t mode = va_arg(more, mode_t);                                    \
    va_end(more);                                                          \
    pthread_mutex_lock(&one_at_a_time);                                    \
    int was_there = access(path, F_OK) == 0;                               \
    int fd = opened(really(path, flags, mode), path, flags, was_there);    \
    pthread_mutex_unlock(&one_at_a_time);                                  \
    return fd;                                                             \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  REAL(int, close, int);
  pthread_mutex_lock(&one_at_a_time);
  if (fd >= 0 && fd < MOST_FILES) {
    free(path_of[fd]);
    path_of[fd] = NULL;
  }
  int result = really(fd);
  pthread_mutex_unlock(&one_at_a_time);
  return result;
}

#define PWRITE(name, offset_type)                                          \
  ssize_t name(int fd, const void *data, size_t length, offset_type at) {  \
    REAL(ssize_t, name, int, const void *, size_t, offset_type);           \
    const char *path = path_at(fd);                                        \
    if (!path) return really(fd, data, length, at);                        \
    pthread_mutex_lock(&one_at_a_time);                                    \
    ssize_t written = really(fd, data, length, at);                        \
    if (written > 0) note('W', path, at, data, written);                   \
    pthread_mutex_unlock(&one_at_a_time);                                  \
    return written;                                                        \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t write(int fd, const void *data, size_t length) {
  REAL(ssize_t, write, int, const void *, size_t);
  const char *path = path_at(fd);
  if (!path) return really(fd, data, length);
  pthread_mutex_lock(&one_at_a_time);
  ssize_t written = really(fd, data, length);
  if (written > 0) note('W', path, lseek(fd, 0, SEEK_CUR) - written, data, written);
  pthread_mutex_unlock(&one_at_a_time);
  return written;
}

#define TRUNCATE(name, offset_type)                                        \
  int name(int fd, offset_type length) {                                   \
    REAL(int, name, int, offset_type);                                     \
    const char *path = path_at(fd);                                        \
    if (!path) return really(fd, length);                                  \
    pthread_mutex_lock(&one_at_a_time);                                    \
    int result = really(fd, length);                                       \
    if (result == 0) note('T', path, length, NULL, 0);                     \
    pthread_mutex_unlock(&one_at_a_time);                                  \
    return result;                                                         \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

/* The machine keeps its power and only the record counts, so there is no need to wait for the disk. */
#define SYNC(name)                                                         \
  int name(int fd) {                                                       \
    REAL(int, name, int);                                                  \
    const char *path = path_at(fd);                                        \
    if (!path) return really(fd);                                          \
    pthread_mutex_lock(&one_at_a_time);                                    \
    note('S', path, 0, NULL, 0);                                           \
    pthread_mutex_unlock(&one_at_a_time);                                  \
    return 0;                                                              \
  }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
  REAL(int, unlink, const char *);
  pthread_mutex_lock(&one_at_a_time);
  int result = really(path);
  if (result == 0 && concerns(path)) note('U', path, 0, NULL, 0);
  pthread_mutex_unlock(&one_at_a_time);
  return result;
}

int rename(const char *from, const char *to) {
  REAL(int, rename, const char *, const char *);
  pthread_mutex_lock(&one_at_a_time);
  int result = really(from, to);
  if (result == 0 && concerns(from)) note('R', from, 0, to, strlen(to));
  pthread_mutex_unlock(&one_at_a_time);
  return result;
}
