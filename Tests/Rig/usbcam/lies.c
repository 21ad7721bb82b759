#include "usbcam.h"
#include <stdio.h>
#include <string.h>

static const char *const names[lie_count] = {
    "good", "no-end", "junk", "truncated", "broken", "flagged", "empty", "same-id", "flipped",
};
static struct {
    uint64_t every, first;
} told[lie_count];

int lie_learn(const char *words) {
    char name[16];
    unsigned long long every, first;
    if (sscanf(words, "%15[^:]:%llu:%llu", name, &every, &first) != 3 || every == 0) return -1;
    for (int lie = lie_none + 1; lie < lie_count; lie++)
        if (!strcmp(names[lie], name)) {
            told[lie].every = every;
            told[lie].first = first;
            return 0;
        }
    return -1;
}

enum lie lie_of(uint64_t number) {
    for (int lie = lie_none + 1; lie < lie_count; lie++)
        if (told[lie].every && number >= told[lie].first && (number - told[lie].first) % told[lie].every == 0)
            return (enum lie)lie;
    return lie_none;
}

const char *lie_name(enum lie lie) { return names[lie]; }
