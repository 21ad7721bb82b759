// A notification service for Tests/checks/session-bus: takes the name and answers, stays silent, or refuses. It writes what it is
// told to show, a line each: title, a tab, and the text, with what is not printable as \xNN.
// usage: fake-notifications answer|silent|refuse|mute
// mute answers who it is, and never that it has shown anything.
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

static int information(sd_bus_message *call, void *behaviour, sd_bus_error *error) {
    (void)error;
    if (strcmp(behaviour, "silent") == 0) return 1;
    if (strcmp(behaviour, "refuse") == 0)
        return sd_bus_reply_method_errorf(call, "org.example.Error.Asleep", "not now");
    return sd_bus_reply_method_return(call, "ssss", "fake", "capturegate", "1", "1.2");
}

static int capabilities(sd_bus_message *call, void *behaviour, sd_bus_error *error) {
    (void)behaviour, (void)error;
    return sd_bus_reply_method_return(call, "as", 2, "body", "body-markup");
}

static void write_visibly(const char *text, char end) {
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < ' ' || byte == 0x7f) printf("\\x%02x", byte);
        else putchar(byte);
    }
    putchar(end);
}

static int notify(sd_bus_message *call, void *behaviour, sd_bus_error *error) {
    (void)error;
    const char *application, *icon, *title, *text;
    uint32_t replaced;
    int result = sd_bus_message_read(call, "susss", &application, &replaced, &icon, &title, &text);
    if (result < 0) return result;
    write_visibly(title, '\t');
    write_visibly(text, '\n');
    fflush(stdout);
    return strcmp(behaviour, "answer") == 0 ? sd_bus_reply_method_return(call, "u", 1u) : 1;
}

static const sd_bus_vtable methods[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("GetServerInformation", "", "ssss", information, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("GetCapabilities", "", "as", capabilities, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("Notify", "susssasa{sv}i", "u", notify, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

int main(int count, char **words) {
    sd_bus *bus = NULL;
    if (count != 2 || sd_bus_open_user(&bus) < 0) return 1;
    if (sd_bus_add_object_vtable(
            bus, NULL, "/org/freedesktop/Notifications", "org.freedesktop.Notifications", methods, words[1]) < 0)
        return 1;
    if (sd_bus_request_name(bus, "org.freedesktop.Notifications", 0) < 0) return 1;
    puts("ready");
    fflush(stdout);
    for (;;) {
        int result = sd_bus_process(bus, NULL);
        if (result < 0) return 1;
        if (result == 0 && sd_bus_wait(bus, UINT64_MAX) < 0) return 1;
    }
}
