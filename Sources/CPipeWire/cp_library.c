#include "cp_library.h"

#include <fcntl.h>
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

struct pw_core *cp_core(struct pw_context *context, const struct cp_remote *remote, const char *category) {
    struct spa_dict_item items[3] = {SPA_DICT_ITEM_INIT(PW_KEY_APP_NAME, "CaptureGate")};
    uint32_t count = 1;
    if (category != NULL) items[count++] = SPA_DICT_ITEM_INIT(PW_KEY_MEDIA_CATEGORY, category);
    if (remote != NULL && remote->name != NULL) items[count++] = SPA_DICT_ITEM_INIT(PW_KEY_REMOTE_NAME, remote->name);
    struct pw_properties *properties = pw.properties_new_dict(&SPA_DICT_INIT(items, count));
    if (remote == NULL || remote->socket < 0) return pw.context_connect(context, properties, 0);
    // PipeWire closes what it is given.
    int own = fcntl(remote->socket, F_DUPFD_CLOEXEC, 3);
    return own < 0 ? NULL : pw.context_connect_fd(context, own, properties, 0);
}
