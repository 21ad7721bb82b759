// shown-in SHOWN.raw SENT.raw FRAME-BYTES: is what a reader of a virtual camera saw what was sent to it? Both are raw pictures without
// padding; each sent one differs from all others. Prints "DISTINCT MISSING REPEATED STRANGE": how many of the sent pictures were
// shown, how many between the first and the last of them were not, how often one was shown again, and how many pictures between
// the first and the last shown one are none that was sent, bit for bit. A picture that comes after a later
// one is an error.
#include "file.h"

static int equal(struct file a, size_t i, struct file b, size_t j, size_t size) {
    return memcmp(a.bytes + i * size, b.bytes + j * size, size) == 0;
}

// Number of the sent frame that equals this one, searched from the last one on; -1 for none.
static long find(struct file shown, size_t number, struct file sent, size_t from, size_t size) {
    size_t count = sent.count / size;
    for (size_t step = 0; step < count; step++) {
        size_t candidate = (from + step) % count;
        if (equal(shown, number, sent, candidate, size)) return (long)candidate;
    }
    return -1;
}

static void require_distinct(struct file sent, size_t size) {
    for (size_t number = 1; number < sent.count / size; number++)
        if (equal(sent, number, sent, number - 1, size)) refuse("has two equal pictures in a row", "what was sent");
}

int main(int count, char **arguments) {
    if (count != 4) refuse("SHOWN.raw SENT.raw FRAME-BYTES", "usage: shown-in");
    struct file shown = file_read(arguments[1]), sent = file_read(arguments[2]);
    size_t size = strtoul(arguments[3], NULL, 10);
    // A reader that is ended may leave a part of one.
    if (!size || shown.count < size) refuse("holds no picture", arguments[1]);
    if (!sent.count || sent.count % size) refuse("is not a whole number of pictures", arguments[2]);
    require_distinct(sent, size);
    long distinct = 0, missing = 0, repeated = 0, strange = 0, since = 0, last = -1;
    for (size_t number = 0; number < shown.count / size; number++) {
        long found = find(shown, number, sent, last < 0 ? 0 : (size_t)last, size);
        if (found < 0) {
            since += last >= 0;
            continue;
        }
        if (found < last) refuse("shows a picture after a later one", arguments[1]);
        strange += since;
        since = 0;
        if (found == last) repeated++;
        else distinct++;
        if (last >= 0 && found > last) missing += found - last - 1;
        last = found;
    }
    printf("%ld %ld %ld %ld\n", distinct, missing, repeated, strange);
    return distinct == 0;
}
