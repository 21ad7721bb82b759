#include "cp_library.h"

#include <pthread.h>

struct cp_calls pw;

static int result = -ELIBACC;

static void load(void) {
    void *library = dlopen("libpipewire-0.3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
#define FIND(name) \
    if ((pw.name = (__typeof__(pw.name))dlsym(library, "pw_" #name)) == NULL) return;
    CALLS(FIND)
#undef FIND
    pw.init(NULL, NULL);
    result = 0;
}

int cp_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return result;
}
