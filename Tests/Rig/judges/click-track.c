// click-track SECONDS EVERY-FRAMES: writes sound to play, S16_LE stereo at 48000 Hz: silence with a click each so many
// frames. A click is four waves of 2 kHz at half of full scale, so that resampling leaves its beginning sharp.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { click_frames = 96 };

static int16_t sample(long frame) {
    return frame < click_frames ? (int16_t)lrint(16384 * cos(2 * 3.14159265358979 * 2000 * (double)frame / 48000)) : 0;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: click-track SECONDS EVERY-FRAMES\n");
        return 2;
    }
    long frames = atol(arguments[1]) * 48000, every = atol(arguments[2]);
    for (long frame = 0; frame < frames; frame++) {
        // The first click is one interval away from the beginning.
        int16_t value = frame < every ? 0 : sample(frame % every);
        int16_t both[2] = {value, value};
        if (fwrite(both, sizeof both, 1, stdout) != 1) return 1;
    }
    return 0;
}
