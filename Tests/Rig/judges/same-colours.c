// same-colours RAW CODE WIDTH HEIGHT MATRIX RANGE DECODED: is each flat place of a picture the colour that the driver meant?
// RAW is YUYV or RGB3 as v4l2-ctl stored it, DECODED what a decoder made of our file: R, G and B of eight bits, all values.
// MATRIX is 601, 709, 2020, 2020c or 240M; RANGE is limited or full. The most that any place is off is printed; more than 3
// of 255 is a failure, as is a picture with fewer than five colours.
#include "file.h"
#include <math.h>

struct meaning {
    double red, blue, black, luma, chroma;
    int is_constant;
};

static struct meaning meaning_of(const char *matrix, const char *range) {
    struct meaning meaning = {.299, .114, 0, 255, 255, 0};
    if (!strcmp(matrix, "709"))
        meaning.red = .2126, meaning.blue = .0722;
    else if (!strncmp(matrix, "2020", 4))
        meaning.red = .2627, meaning.blue = .0593, meaning.is_constant = !strcmp(matrix, "2020c");
    else if (!strcmp(matrix, "240M"))
        meaning.red = .212, meaning.blue = .087;
    else if (strcmp(matrix, "601"))
        refuse("is no matrix", matrix);
    if (!strcmp(range, "limited"))
        meaning.black = 16, meaning.luma = 219, meaning.chroma = 224;
    else if (strcmp(range, "full"))
        refuse("is no range", range);
    return meaning;
}

static double light(double value) {
    return value < .081 ? value / 4.5 : pow((value + .099) / 1.099, 1 / .45);
}

static double value_of(double light) { return light < .018 ? 4.5 * light : 1.099 * pow(light, .45) - .099; }

static void colour_of(const struct meaning *meaning, const uint8_t *y, const uint8_t *chroma, double *rgb) {
    double luma = (*y - meaning->black) / meaning->luma;
    double cb = (chroma[0] - 128) / meaning->chroma, cr = (chroma[2] - 128) / meaning->chroma;
    double green = 1 - meaning->red - meaning->blue;
    if (meaning->is_constant) {
        rgb[0] = luma + cr * (cr <= 0 ? 1.7184 : .9936);
        rgb[2] = luma + cb * (cb <= 0 ? 1.9404 : 1.5816);
        rgb[1] = value_of((light(luma) - .2627 * light(rgb[0]) - .0593 * light(rgb[2])) / .6780);
    } else {
        rgb[0] = luma + 2 * (1 - meaning->red) * cr;
        rgb[2] = luma + 2 * (1 - meaning->blue) * cb;
        rgb[1] = (luma - meaning->red * rgb[0] - meaning->blue * rgb[2]) / green;
    }
}

// Sixteen pixels to both sides are the same: what a codec rounds at edges is not judged.
static int is_flat(const uint8_t *row, size_t width, size_t x, size_t bytes) {
    const uint8_t *here = row + x / 2 * 2 * bytes;
    for (size_t at = x - 16; at < x + 16 && at < width; at += 2)
        if (memcmp(row + at / 2 * 2 * bytes, here, 2 * bytes)) return 0;
    return 1;
}

int main(int count, char **arguments) {
    if (count != 8) refuse("RAW CODE WIDTH HEIGHT MATRIX RANGE DECODED", "usage: same-colours");
    struct file raw = file_read(arguments[1]), decoded = file_read(arguments[7]);
    size_t width = strtoul(arguments[3], NULL, 10), height = strtoul(arguments[4], NULL, 10);
    struct meaning meaning = meaning_of(arguments[5], arguments[6]);
    int is_rgb = !strcmp(arguments[2], "RGB3");
    size_t bytes = is_rgb ? 3 : 2, colours = 0;
    if (raw.count < width * height * bytes) refuse("is no whole picture", arguments[1]);
    if (decoded.count != width * height * 3) refuse("is not one picture of that size", arguments[7]);
    double worst = 0, seen[64][3];
    for (size_t y = 8; y + 8 < height; y++) {
        const uint8_t *row = raw.bytes + y * width * bytes;
        for (size_t x = 16; x + 16 < width; x++) {
            if (!is_flat(row, width, x, bytes)) continue;
            double rgb[3];
            if (is_rgb)
                for (int c = 0; c < 3; c++) rgb[c] = (row[3 * x + c] - meaning.black) / meaning.luma;
            else
                colour_of(&meaning, row + 2 * x, row + x / 2 * 4 + 1, rgb);
            size_t known = 0;
            while (known < colours && memcmp(seen[known], rgb, sizeof(rgb))) known++;
            if (known == colours && colours < 64) memcpy(seen[colours++], rgb, sizeof(rgb));
            for (int c = 0; c < 3; c++) {
                double expected = fmin(fmax(255 * rgb[c], 0), 255);
                worst = fmax(worst, fabs(expected - decoded.bytes[(y * width + x) * 3 + c]));
            }
        }
    }
    printf("%zu colours, at most %.1f off\n", colours, worst);
    return colours < 5 || worst > 3;
}
