// claps SOUND.raw PICTURES.txt SPACING: how well the clicks and flashes of a recorded clip go together. SOUND is S16_LE mono
// at 48000 Hz; PICTURES has a line for each picture, its time in seconds and its mean brightness; SPACING is how many
// seconds apart the clicks are to be. Prints, in milliseconds: how many clicks there are, and how far the worst stands
// from its place after the first; how many flashes go with them, by how much later than their clicks the first and the
// last 27 of them come in the mean, and by how much the earliest and the latest. A flash is seen in the picture after
// it, up to a picture's time later, half of it in the mean.
#include "file.h"
#include <math.h>

enum { rate = 48000, most = 4096, quiet = rate / 4, threshold = 6000, window = 27 };

static size_t find_clicks(struct file sound, double *times) {
    const int16_t *samples = (const int16_t *)(const void *)sound.bytes;
    size_t count = 0, heard = 0;
    for (size_t at = 0; at < sound.count / 2 && count < most; at++) {
        if (abs(samples[at]) < threshold) continue;
        if (!count || at - heard > quiet) times[count++] = (double)at / rate;
        heard = at;
    }
    return count;
}

static size_t find_flashes(const char *path, double *times) {
    FILE *stream = fopen(path, "r");
    if (!stream) refuse("cannot be opened", path);
    double time, light, before = 1e9;
    size_t count = 0;
    while (fscanf(stream, "%lf %lf", &time, &light) == 2 && count < most) {
        if (light > before + 20) times[count++] = time;
        before = light;
    }
    fclose(stream);
    return count;
}

static double worst_place(const double *clicks, size_t count, double spacing) {
    double worst = 0;
    for (size_t click = 1; click < count; click++) {
        double since = clicks[click] - clicks[0];
        worst = fmax(worst, fabs(since - round(since / spacing) * spacing));
    }
    return worst;
}

static size_t find_pairs(const double *clicks, size_t count, const double *flashes, size_t flash_count, double *late) {
    size_t pairs = 0;
    for (size_t click = 0; click < count; click++)
        for (size_t flash = 0; flash < flash_count; flash++)
            if (fabs(flashes[flash] - clicks[click]) < 0.15) {
                late[pairs++] = flashes[flash] - clicks[click];
                break;
            }
    return pairs;
}

static double mean(const double *values, size_t count) {
    double sum = 0;
    for (size_t at = 0; at < count; at++) sum += values[at];
    return count ? sum / (double)count : 0;
}

static double extreme(const double *values, size_t count, double sign) {
    double most = -1e9;
    for (size_t at = 0; at < count; at++) most = fmax(most, sign * values[at]);
    return sign * most;
}

int main(int count, char **arguments) {
    if (count != 4) refuse("SOUND.raw PICTURES.txt SPACING", "usage: claps");
    static double clicks[most], flashes[most], late[most];
    size_t click_count = find_clicks(file_read(arguments[1]), clicks);
    size_t flash_count = find_flashes(arguments[2], flashes);
    size_t pairs = find_pairs(clicks, click_count, flashes, flash_count, late);
    size_t some = pairs < window ? pairs : window;
    printf("%zu %.3f %zu %.3f %.3f %.3f %.3f\n", click_count, 1000 * worst_place(clicks, click_count, atof(arguments[3])),
           pairs, 1000 * mean(late, some), 1000 * mean(late + pairs - some, some), 1000 * extreme(late, pairs, -1),
           1000 * extreme(late, pairs, 1));
    return 0;
}
