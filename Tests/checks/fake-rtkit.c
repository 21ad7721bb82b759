// An rtkit for Tests/checks/realtime-kit: takes the name on the system bus and behaves as told. A caller without
// RLIMIT_RTTIME is refused, as the real one does.
// usage: fake-rtkit give|low|lie|refuse|silent
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <systemd/sd-bus.h>

static const int64_t longest = 200000;
static const char *behaviour;

static int32_t highest(void) { return strcmp(behaviour, "low") == 0 ? 3 : 20; }

static int property(sd_bus *bus, const char *path, const char *interface, const char *name, sd_bus_message *reply,
                    void *nothing, sd_bus_error *error) {
    (void)bus, (void)path, (void)interface, (void)nothing, (void)error;
    if (strcmp(name, "RTTimeUSecMax") == 0) return sd_bus_message_append(reply, "x", longest);
    return sd_bus_message_append(reply, "i", highest());
}

// Like the real one: SCHED_RR, but not for the thread's children.
static int give(uint64_t thread, uint32_t priority) {
    struct sched_param parameter = {.sched_priority = (int)priority};
    if (strcmp(behaviour, "lie") == 0) return 0;
    return sched_setscheduler((pid_t)thread, SCHED_RR | SCHED_RESET_ON_FORK, &parameter) < 0 ? -errno : 0;
}

static int make_realtime(sd_bus_message *call, void *nothing, sd_bus_error *error) {
    (void)nothing, (void)error;
    uint64_t thread;
    uint32_t priority;
    struct rlimit limit;
    int result = sd_bus_message_read(call, "tu", &thread, &priority);
    if (result < 0) return result;
    printf("asked for %u\n", priority);
    fflush(stdout);
    if (strcmp(behaviour, "silent") == 0) return 1;
    if (strcmp(behaviour, "refuse") == 0 || priority > (uint32_t)highest() ||
        prlimit((pid_t)thread, RLIMIT_RTTIME, NULL, &limit) < 0 || limit.rlim_max > (rlim_t)longest)
        return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_ACCESS_DENIED, "no");
    result = give(thread, priority);
    if (result < 0) return sd_bus_reply_method_errnof(call, -result, "the kernel refuses");
    return sd_bus_reply_method_return(call, "");
}

static const sd_bus_vtable members[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("RTTimeUSecMax", "x", property, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_PROPERTY("MaxRealtimePriority", "i", property, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_METHOD("MakeThreadRealtime", "tu", "", make_realtime, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

int main(int count, char **words) {
    sd_bus *bus = NULL;
    static const char name[] = "org.freedesktop.RealtimeKit1";
    if (count != 2 || sd_bus_open_system(&bus) < 0) return 1;
    behaviour = words[1];
    if (sd_bus_add_object_vtable(bus, NULL, "/org/freedesktop/RealtimeKit1", name, members, NULL) < 0) return 1;
    if (sd_bus_request_name(bus, name, 0) < 0) return 1;
    puts("ready");
    fflush(stdout);
    for (;;) {
        int result = sd_bus_process(bus, NULL);
        if (result < 0) return 1;
        if (result == 0 && sd_bus_wait(bus, UINT64_MAX) < 0) return 1;
    }
}
