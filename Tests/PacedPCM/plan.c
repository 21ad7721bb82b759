#include "paced.h"
#include <string.h>

struct entry {
    const char *name;
    long *value;
};

static int read_entry(snd_config_t *node, const char *name, const struct entry *entries, size_t count) {
    for (size_t at = 0; at < count; at++)
        if (!strcmp(name, entries[at].name)) return snd_config_get_integer(node, entries[at].value);
    SNDERR("paced: unknown field %s", name);
    return -EINVAL;
}

static int is_general(const char *name) {
    return !strcmp(name, "type") || !strcmp(name, "comment") || !strcmp(name, "hint");
}

int paced_read_plan(snd_config_t *configuration, struct plan *plan) {
    *plan = (struct plan){.stall_ms = 200, .sleep_ms = 200, .wakes = 1, .comes_back = 1, .patient = 1,
                          .rate_min = 8000, .rate_max = 192000, .channels_min = 1, .channels_max = 8};
    const struct entry entries[] = {
        {"stall_after", &plan->stall_after},   {"stall_ms", &plan->stall_ms},
        {"stall_again", &plan->stall_again},   {"vanish_after", &plan->vanish_after},
        {"dead_after", &plan->dead_after},     {"drift_ppm", &plan->drift_ppm},
        {"dead_calls", &plan->dead_calls},     {"sleep_after", &plan->sleep_after},
        {"sleep_ms", &plan->sleep_ms},         {"wakes", &plan->wakes},
        {"planar", &plan->planar},             {"dead_hangs", &plan->dead_hangs},
        {"comes_back", &plan->comes_back},     {"open_hangs", &plan->open_hangs},
        {"rate_min", &plan->rate_min},         {"rate_max", &plan->rate_max},
        {"channels_min", &plan->channels_min}, {"channels_max", &plan->channels_max},
        {"patient", &plan->patient},           {"buffer_bytes", &plan->buffer_bytes},
    };
    snd_config_iterator_t at, next;
    snd_config_for_each(at, next, configuration) {
        snd_config_t *node = snd_config_iterator_entry(at);
        const char *name;
        if (snd_config_get_id(node, &name) < 0 || is_general(name)) continue;
        int refused = read_entry(node, name, entries, sizeof entries / sizeof *entries);
        if (refused < 0) return refused;
    }
    return 0;
}
