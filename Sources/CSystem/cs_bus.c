#if !__has_include(<systemd/sd-bus.h>)
#include "../Packages/missing.h"
#endif
#include "cs_bus.h"
#include "cs_notify.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <systemd/sd-bus.h>

// libsystemd brings seven more libraries, and most programs never speak to a bus: it is loaded when one first does.
#define CALLS(EACH) \
    EACH(bus_add_object) EACH(bus_call_async) EACH(bus_close) EACH(bus_error_get_errno) EACH(bus_get_events) \
    EACH(bus_get_fd) EACH(bus_get_timeout) EACH(bus_match_signal_async) EACH(bus_message_append_basic) \
    EACH(bus_message_close_container) EACH(bus_message_enter_container) EACH(bus_message_exit_container) \
    EACH(bus_message_get_error) EACH(bus_message_get_interface) EACH(bus_message_get_member) \
    EACH(bus_message_get_path) EACH(bus_message_get_sender) EACH(bus_message_new_method_call) \
    EACH(bus_message_open_container) EACH(bus_message_peek_type) EACH(bus_message_read_basic) EACH(bus_message_ref) \
    EACH(bus_message_rewind) EACH(bus_message_skip) EACH(bus_message_unref) EACH(bus_new) EACH(bus_process) \
    EACH(bus_reply_method_return) EACH(bus_set_address) EACH(bus_set_bus_client) EACH(bus_set_method_call_timeout) \
    EACH(bus_start) EACH(bus_unref)

static struct {
    int result;
#define MEMBER(name) __typeof__(sd_##name) *name;
    CALLS(MEMBER)
#undef MEMBER
} sd = {.result = -ELIBACC};

static void load(void) {
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
#define FIND(name) \
    if ((sd.name = (__typeof__(sd.name))dlsym(library, "sd_" #name)) == NULL) return;
    CALLS(FIND)
#undef FIND
    sd.result = 0;
}

// -ELIBACC if there is no libsystemd, or one that is too old.
static int loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return sd.result;
}

// More than these that wait to be taken are let go: who sends them may mean to fill the memory.
enum { MOST_WAITING = 64 };

struct connection {
    sd_bus *bus;
    sd_bus_message *writing, *reading, *waiting[MOST_WAITING];
    int waiting_count;
    int answered;
    int error;
    char error_name[256];
};

int cs_bus_open(const char *address, void **out) {
    if (loaded() < 0) return loaded();
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) return -ENOMEM;
    int result = sd.bus_new(&connection->bus);
    if (result >= 0) result = sd.bus_set_address(connection->bus, address);
    if (result >= 0) result = sd.bus_set_bus_client(connection->bus, 1);
    // The caller's deadline holds, not 25 s: a person may be asked.
    if (result >= 0) result = sd.bus_set_method_call_timeout(connection->bus, UINT64_MAX);
    if (result >= 0) result = sd.bus_start(connection->bus);
    if (result < 0) {
        cs_bus_drop(connection);
        return result;
    }
    *out = connection;
    return 0;
}

static void forget(sd_bus_message **message) {
    if (*message != NULL) sd.bus_message_unref(*message);
    *message = NULL;
}

int cs_bus_begin(void *bus, const char *destination, const char *path, const char *interface, const char *member) {
    struct connection *connection = bus;
    forget(&connection->writing);
    return sd.bus_message_new_method_call(connection->bus, &connection->writing, destination, path, interface, member);
}

int cs_bus_append_text(void *bus, char type, const char *text) {
    return sd.bus_message_append_basic(((struct connection *)bus)->writing, type, text);
}

int cs_bus_append_number(void *bus, char type, int64_t number) {
    union {
        uint8_t y;
        int b;
        int32_t i;
        uint32_t u;
        int64_t x;
    } value = {.x = 0};
    switch (type) {
    case 'y': value.y = (uint8_t)number; break;
    case 'b': value.b = number != 0; break;
    case 'i': value.i = (int32_t)number; break;
    case 'u': value.u = (uint32_t)number; break;
    case 'x':
    case 't': value.x = number; break;
    default: return -EINVAL;
    }
    return sd.bus_message_append_basic(((struct connection *)bus)->writing, type, &value);
}

int cs_bus_open_container(void *bus, char type, const char *contents) {
    return sd.bus_message_open_container(((struct connection *)bus)->writing, type, contents);
}

int cs_bus_close_container(void *bus) { return sd.bus_message_close_container(((struct connection *)bus)->writing); }

static const char *given(const char *text) { return text == NULL ? "" : text; }

static int keep_whole(sd_bus_message *message, void *context, sd_bus_error *unused) {
    (void)unused;
    struct connection *connection = context;
    const sd_bus_error *error = sd.bus_message_get_error(message);
    connection->answered = 1;
    connection->error = error == NULL ? 0 : sd.bus_error_get_errno(error);
    snprintf(connection->error_name, sizeof connection->error_name, "%s", error == NULL ? "" : given(error->name));
    forget(&connection->reading);
    if (error == NULL) connection->reading = sd.bus_message_ref(message);
    return 1;
}

int cs_bus_send(void *bus) {
    struct connection *connection = bus;
    connection->answered = 0;
    int result = sd.bus_call_async(connection->bus, NULL, connection->writing, keep_whole, connection, UINT64_MAX);
    forget(&connection->writing);
    return result;
}

static int keep_waiting(sd_bus_message *message, struct connection *connection) {
    if (connection->waiting_count == MOST_WAITING) return 0;
    connection->waiting[connection->waiting_count++] = sd.bus_message_ref(message);
    return 1;
}

static int keep_signal(sd_bus_message *message, void *context, sd_bus_error *unused) {
    (void)unused;
    keep_waiting(message, context);
    // Other matches may want it, too.
    return 0;
}

int cs_bus_listen(void *bus, const char *interface, const char *member) {
    struct connection *connection = bus;
    return sd.bus_match_signal_async(
        connection->bus, NULL, NULL, NULL, interface, member, keep_signal, NULL, connection);
}

static int keep_call(sd_bus_message *message, void *context, sd_bus_error *unused) {
    (void)unused;
    // Returns an error to the caller if there is no space, and no answer if none is wanted.
    if (!keep_waiting(message, context)) return -ENOBUFS;
    int result = sd.bus_reply_method_return(message, NULL);
    return result < 0 ? result : 1;
}

int cs_bus_serve(void *bus, const char *path) {
    struct connection *connection = bus;
    return sd.bus_add_object(connection->bus, NULL, path, keep_call, connection);
}

int cs_bus_take_head(void *bus, struct cs_bus_head *out) {
    struct connection *connection = bus;
    if (connection->reading == NULL) return 0;
    *out = (struct cs_bus_head){
        .sender = given(sd.bus_message_get_sender(connection->reading)),
        .path = given(sd.bus_message_get_path(connection->reading)),
        .interface = given(sd.bus_message_get_interface(connection->reading)),
        .member = given(sd.bus_message_get_member(connection->reading)),
    };
    return 1;
}

int cs_bus_next(void *bus) {
    struct connection *connection = bus;
    if (connection->waiting_count == 0) return 0;
    forget(&connection->reading);
    connection->reading = connection->waiting[0];
    connection->waiting_count--;
    memmove(connection->waiting, connection->waiting + 1, sizeof connection->waiting[0] * (size_t)connection->waiting_count);
    return 1;
}

int cs_bus_peek(void *bus, char *type, const char **contents) {
    struct connection *connection = bus;
    return connection->reading == NULL ? 0 : sd.bus_message_peek_type(connection->reading, type, contents);
}

int cs_bus_read_text(void *bus, char type, const char **text) {
    return sd.bus_message_read_basic(((struct connection *)bus)->reading, type, text);
}

int cs_bus_read_number(void *bus, char type, int64_t *number, double *real) {
    union {
        uint8_t y;
        int b;
        int16_t n;
        uint16_t q;
        int32_t i;
        uint32_t u;
        int64_t x;
        double d;
    } value = {.x = 0};
    int result = sd.bus_message_read_basic(((struct connection *)bus)->reading, type, &value);
    if (result <= 0) return result;
    switch (type) {
    case 'y': *number = value.y; break;
    case 'b': *number = value.b; break;
    case 'n': *number = value.n; break;
    case 'q': *number = value.q; break;
    case 'i': *number = value.i; break;
    case 'u': *number = value.u; break;
    case 'x': *number = value.x; break;
    case 't': *number = value.x < 0 ? INT64_MAX : value.x; break;
    case 'd': *real = value.d; break;
    default: return -EINVAL;
    }
    return 1;
}

int cs_bus_first_file(void *bus) {
    struct connection *connection = bus;
    int lent = -1;
    if (connection->reading == NULL) return -ENOENT;
    int result = sd.bus_message_rewind(connection->reading, 1);
    if (result >= 0) result = sd.bus_message_read_basic(connection->reading, 'h', &lent);
    if (result <= 0) return result < 0 ? result : -ENOENT;
    // The message's own descriptor is closed with it.
    return cs_duplicate(lent);
}

int cs_bus_enter(void *bus, char type, const char *contents) {
    return sd.bus_message_enter_container(((struct connection *)bus)->reading, type, contents);
}

int cs_bus_leave(void *bus) { return sd.bus_message_exit_container(((struct connection *)bus)->reading); }

int cs_bus_skip(void *bus, const char *types) { return sd.bus_message_skip(((struct connection *)bus)->reading, types); }

int cs_bus_take_reply(void *bus, struct cs_bus_reply *out) {
    struct connection *connection = bus;
    if (connection->answered) *out = (struct cs_bus_reply){.error = connection->error, .name = connection->error_name};
    return connection->answered;
}

int cs_bus_descriptor(void *bus) { return sd.bus_get_fd(((struct connection *)bus)->bus); }

int cs_bus_events(void *bus) { return sd.bus_get_events(((struct connection *)bus)->bus); }

int64_t cs_bus_timeout_ns(void *bus) {
    uint64_t until = 0;
    int result = sd.bus_get_timeout(((struct connection *)bus)->bus, &until);
    if (result < 0) return result;
    return until >= INT64_MAX / 1000 ? INT64_MAX : (int64_t)until * 1000;
}

int cs_bus_process(void *bus) {
    int result = sd.bus_process(((struct connection *)bus)->bus, NULL);
    return result > 0 ? 1 : result;
}

void cs_bus_drop(void *bus) {
    struct connection *connection = bus;
    // Nothing is flushed, since that would wait for a peer that does not read.
    sd.bus_close(connection->bus);
    forget(&connection->writing);
    forget(&connection->reading);
    for (int i = 0; i < connection->waiting_count; i++) forget(&connection->waiting[i]);
    sd.bus_unref(connection->bus);
    free(connection);
}
