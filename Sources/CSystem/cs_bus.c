#include "cs_bus.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<systemd/sd-bus.h>)
#include <systemd/sd-bus.h>
#else
#error "systemd's headers are missing: install the Debian package libsystemd-dev"
#endif

// libsystemd brings seven more libraries, and most programs never speak to a bus: it is loaded when one first does.
#define CALLS(EACH) \
    EACH(bus_call_async) EACH(bus_call_method_async) EACH(bus_close) EACH(bus_error_get_errno) EACH(bus_get_events) \
    EACH(bus_get_fd) EACH(bus_get_timeout) EACH(bus_message_append_basic) EACH(bus_message_close_container) \
    EACH(bus_message_enter_container) EACH(bus_message_get_error) EACH(bus_message_new_method_call) \
    EACH(bus_message_open_container) EACH(bus_message_peek_type) EACH(bus_message_read_basic) EACH(bus_message_unref) \
    EACH(bus_new) EACH(bus_process) EACH(bus_set_address) EACH(bus_set_bus_client) EACH(bus_set_method_call_timeout) \
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

// -ELIBACC where there is no libsystemd, or one that is too old.
static int loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return sd.result;
}

struct connection {
    sd_bus *bus;
    int answered;
    struct cs_bus_reply reply;
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

// The first flag of polkit's answer: is_authorized.
static int64_t authorized_in(sd_bus_message *message, const char *contents) {
    int value = 0;
    if (sd.bus_message_enter_container(message, 'r', contents) < 0) return 0;
    return sd.bus_message_read_basic(message, 'b', &value) > 0 && value == 1;
}

static void take_text(sd_bus_message *message, struct cs_bus_reply *reply) {
    const char *text = NULL;
    if (sd.bus_message_read_basic(message, 's', &text) > 0 && text != NULL)
        snprintf(reply->text, sizeof reply->text, "%s", text);
}

// A process's number, or a variant of one of the four types that rtkit and others give numbers in.
static int64_t number_in(sd_bus_message *message) {
    char type = 0;
    const char *contents = NULL;
    uint32_t plain = 0;
    if (sd.bus_message_peek_type(message, &type, &contents) <= 0) return 0;
    if (type == 'u') return sd.bus_message_read_basic(message, 'u', &plain) > 0 ? plain : 0;
    if (contents == NULL) return 0;
    if (type == 'r' && strcmp(contents, "bba{ss}") == 0) return authorized_in(message, contents);
    if (type != 'v') return 0;
    union {
        int32_t i;
        uint32_t u;
        int64_t x;
    } value = {.x = 0};
    if (sd.bus_message_enter_container(message, 'v', contents) < 0) return 0;
    if (sd.bus_message_read_basic(message, contents[0], &value) <= 0) return 0;
    switch (contents[0]) {
    case 'i': return value.i;
    case 'u': return value.u;
    case 'x': return value.x;
    case 't': return value.x < 0 ? INT64_MAX : value.x;
    default: return 0;
    }
}

static int keep_reply(sd_bus_message *message, void *context, sd_bus_error *unused) {
    (void)unused;
    struct connection *connection = context;
    const sd_bus_error *error = sd.bus_message_get_error(message);
    connection->answered = 1;
    char type = 0;
    connection->reply = (struct cs_bus_reply){.number = error == NULL ? number_in(message) : 0};
    if (error == NULL && sd.bus_message_peek_type(message, &type, NULL) > 0 && type == 's') take_text(message, &connection->reply);
    connection->reply.error = error == NULL ? 0 : sd.bus_error_get_errno(error);
    if (error != NULL)
        snprintf(connection->reply.name, sizeof connection->reply.name, "%s", error->name == NULL ? "" : error->name);
    return 1;
}

int cs_bus_call(void *bus, const char *destination, const char *path, const char *interface, const char *member) {
    struct connection *connection = bus;
    connection->answered = 0;
    return sd.bus_call_method_async(
        connection->bus, NULL, destination, path, interface, member, keep_reply, connection, NULL);
}

int cs_bus_call_text(
    void *bus, const char *destination, const char *path, const char *interface, const char *member, const char *text) {
    struct connection *connection = bus;
    connection->answered = 0;
    return sd.bus_call_method_async(
        connection->bus, NULL, destination, path, interface, member, keep_reply, connection, "s", text);
}

// An array of texts, or of pairs of them: structures, or entries of a dictionary.
static int append(sd_bus_message *message, const char *type, char *const *texts) {
    int is_pair = strcmp(type, "s") != 0;
    int result = sd.bus_message_open_container(message, 'a', type);
    for (size_t i = 0; texts[i] != NULL && result >= 0; i++) {
        if (is_pair && i % 2 == 0) result = sd.bus_message_open_container(message, type[0] == '{' ? 'e' : 'r', "ss");
        if (result >= 0) result = sd.bus_message_append_basic(message, 's', texts[i]);
        if (is_pair && i % 2 == 1 && result >= 0) result = sd.bus_message_close_container(message);
    }
    return result < 0 ? result : sd.bus_message_close_container(message);
}

int cs_bus_ask(void *bus, const char *destination, const char *path, const char *interface, const struct cs_bus_question *question) {
    struct connection *connection = bus;
    connection->answered = 0;
    sd_bus_message *message = NULL;
    int result = sd.bus_message_new_method_call(connection->bus, &message, destination, path, interface, "Ask");
    if (result >= 0) result = sd.bus_message_append_basic(message, 's', question->title);
    if (result >= 0) result = append(message, "s", question->lines);
    if (result >= 0) result = append(message, "(ss)", question->choices);
    if (result >= 0) result = append(message, "{ss}", question->details);
    if (result >= 0) result = sd.bus_call_async(connection->bus, NULL, message, keep_reply, connection, UINT64_MAX);
    if (message != NULL) sd.bus_message_unref(message);
    return result;
}

int cs_bus_get(void *bus, const char *destination, const char *path, const char *interface, const char *property) {
    struct connection *connection = bus;
    connection->answered = 0;
    return sd.bus_call_method_async(
        connection->bus, NULL, destination, path, "org.freedesktop.DBus.Properties", "Get", keep_reply, connection, "ss",
        interface, property);
}

int cs_bus_call_thread(
    void *bus, const char *destination, const char *path, const char *interface, const char *member, uint64_t thread,
    uint32_t priority) {
    struct connection *connection = bus;
    connection->answered = 0;
    return sd.bus_call_method_async(
        connection->bus, NULL, destination, path, interface, member, keep_reply, connection, "tu", thread, priority);
}

int cs_bus_check_authorization(void *bus, uint32_t process, uint64_t start, int32_t user, const char *action) {
    struct connection *connection = bus;
    connection->answered = 0;
    // The subject, the action, no details, 1: a person may be asked, and no name to cancel by.
    return sd.bus_call_method_async(
        connection->bus, NULL, "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
        "org.freedesktop.PolicyKit1.Authority", "CheckAuthorization", keep_reply, connection, "(sa{sv})sa{ss}us",
        "unix-process", 3, "pid", "u", process, "start-time", "t", start, "uid", "i", user, action, 0, 1, "");
}

int cs_bus_take_reply(void *bus, struct cs_bus_reply *out) {
    struct connection *connection = bus;
    if (connection->answered) *out = connection->reply;
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
    // Nothing is flushed: whoever does not read would be waited for.
    sd.bus_close(connection->bus);
    sd.bus_unref(connection->bus);
    free(connection);
}
