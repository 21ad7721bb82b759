#define _GNU_SOURCE
#include "cs_start.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cs_result.h"

static int argument_count;
static char **arguments;

// glibc gives constructors what it gives main.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}

int cs_argument_count(void) { return argument_count; }

const char *cs_argument(int index) { return index >= 0 && index < argument_count ? arguments[index] : NULL; }

int cs_fill_streams(void) {
    int fd;
    do {
        fd = CS_RETRY(int, open("/", O_PATH | O_CLOEXEC));
    } while (fd >= 0 && fd <= STDERR_FILENO);
    // If there is no fourth descriptor, the first three exist.
    if (fd >= 0) close(fd);
    return fd == -EMFILE ? 0 : fd < 0 ? fd : 0;
}

enum { MOST = 256, SMALL_STACK = 256 << 10 };

int cs_spare_descriptors(int most) {
    int found[MOST], count = 0;
    while (count < most && count < MOST) {
        int fd = CS_RETRY(int, open("/", O_PATH | O_CLOEXEC));
        if (fd < 0) break;
        found[count++] = fd;
    }
    for (int i = 0; i < count; i++) close(found[i]);
    return count;
}

static int is_limited(__rlimit_resource_t resource) {
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

int cs_has_memory_limit(void) { return is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA); }

static void *wait_at(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

// New threads inherit it. They wait for their maker in any case, and on its processor they wake no other one for that.
static int stay_here(cpu_set_t *before) {
    cpu_set_t here;
    int processor = sched_getcpu();
    if (processor < 0 || processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof *before, before) != 0) return 0;
    CPU_ZERO(&here);
    CPU_SET(processor, &here);
    return sched_setaffinity(0, sizeof here, &here) == 0;
}

int cs_usable_processors(void) {
    cpu_set_t usable;
    // More processors than the set has bits for are more than anybody here makes use of.
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) return CPU_SETSIZE;
    return CPU_COUNT(&usable) > 0 ? CPU_COUNT(&usable) : 1;
}

int cs_spare_threads(int most) {
    cpu_set_t before;
    pthread_t found[MOST];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t smallest;
    int count = 0, result = pthread_attr_init(&smallest);
    if (result != 0) return 0;
    // Where memory is limited, each needs the stack that it will have. Elsewhere a small one without a guard will do: two
    // calls to the kernel less for each. Not the least: variables of the threads of a preloaded library may be in it.
    if (!cs_has_memory_limit()) {
        pthread_attr_setstacksize(&smallest, SMALL_STACK);
        pthread_attr_setguardsize(&smallest, 0);
    }
    int stays = stay_here(&before);
    pthread_mutex_lock(&gate);
    while (count < most && count < MOST && pthread_create(&found[count], &smallest, wait_at, &gate) == 0) count++;
    pthread_mutex_unlock(&gate);
    pthread_attr_destroy(&smallest);
    for (int i = 0; i < count; i++) pthread_join(found[i], NULL);
    if (stays) sched_setaffinity(0, sizeof before, &before);
    pthread_mutex_destroy(&gate);
    return count;
}

int cs_spare_memory(size_t bytes) {
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return -errno;
    munmap(start, bytes);
    return 0;
}

int cs_set_thread_memory(size_t least_stack) {
    mallopt(M_ARENA_MAX, 1);
    pthread_attr_t attributes;
    size_t size = 0;
    int result = pthread_getattr_default_np(&attributes);
    if (result != 0) return -result;
    result = pthread_attr_getstacksize(&attributes, &size);
    if (result == 0 && size < least_stack) {
        result = pthread_attr_setstacksize(&attributes, least_stack);
        if (result == 0) result = pthread_setattr_default_np(&attributes);
    }
    pthread_attr_destroy(&attributes);
    return -result;
}
