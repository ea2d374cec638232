/*
 * Preloaded into a database. Every fsync and fdatasync takes as much longer as $SLOW_SYNCS_FILE says, a file of
 * one 32-bit number of microseconds that may change at any time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile const uint32_t *longer_us;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("SLOW_SYNCS_FILE");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *longer_us, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) longer_us = mapped;
}

static int later(int result) {
  uint32_t us = longer_us ? *longer_us : 0;
  if (us > 0) {
    struct timespec left = {us / 1000000, (us % 1000000) * 1000L};
    while (nanosleep(&left, &left) != 0) continue;
  }
  return result;
}

#define SYNC(name)                                                  \
  int name(int fd) {                                                \
    static int (*really)(int);                                      \
    if (!really) really = (int (*)(int))dlsym(RTLD_NEXT, #name);    \
    return later(really(fd));                                       \
  }
SYNC(fsync)
SYNC(fdatasync)
