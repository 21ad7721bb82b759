// Sound in which each frame tells its own number, so that what is missing of it can be counted to the frame. S32_LE
// stereo, both channels alike; the first frame is number 1, and 0 is silence.
//
//   numbered play FRAMES   writes it
//   numbered read          reads such sound and prints a line for each run of it: how many frames of silence went
//                          before, how many numbers are missing since the last run, the first number, how many follow
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
    long silence, count;
    int32_t first, last;
};

static int play(long frames) {
    for (int32_t number = 1; number <= frames; number++) {
        int32_t both[2] = {number, number};
        if (fwrite(both, sizeof both, 1, stdout) != 1) return 1;
    }
    return 0;
}

static void tell(struct run run, int32_t before) {
    printf("%ld %" PRId32 " %" PRId32 " %ld\n", run.silence, run.first - before - 1, run.first, run.count);
}

static int read_runs(void) {
    struct run run = {0};
    int32_t before = 0, both[2];
    while (fread(both, sizeof both, 1, stdin) == 1) {
        if (both[0] != both[1]) return fputs("numbered: the channels differ\n", stderr), 1;
        int goes_on = run.count > 0 && both[0] == run.last + 1;
        if (!goes_on && run.count > 0) {
            tell(run, before);
            before = run.last;
            run = (struct run){0};
        }
        if (both[0] == 0) {
            run.silence++;
            continue;
        }
        if (run.count++ == 0) run.first = both[0];
        run.last = both[0];
    }
    if (run.count > 0) tell(run, before);
    return 0;
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "play") == 0) return play(atol(arguments[2]));
    if (count == 2 && strcmp(arguments[1], "read") == 0) return read_runs();
    fputs("usage: numbered play FRAMES | numbered read\n", stderr);
    return 2;
}
