#include "cc_sound.h"

#if !__has_include(<sndfile.h>)
#error "sndfile.h is missing: apt-get install libsndfile1-dev"
#endif
#include <errno.h>
#include <sndfile.h>

static SNDFILE *of(cc_sound *sound) {
    return (SNDFILE *)sound;
}

static int subtype(int sample_format) {
    switch (sample_format) {
    case CC_SOUND_S16: return SF_FORMAT_PCM_16;
    case CC_SOUND_S24: return SF_FORMAT_PCM_24;
    case CC_SOUND_S32: return SF_FORMAT_PCM_32;
    case CC_SOUND_FLOAT: return SF_FORMAT_FLOAT;
    default: return 0;
    }
}

int cc_sound_open(cc_sound **out, int fd, int sample_rate, int channels, int sample_format) {
    SF_INFO info = {.samplerate = sample_rate, .channels = channels, .format = SF_FORMAT_RF64 | subtype(sample_format)};
    errno = 0;
    SNDFILE *file = sf_open_fd(fd, SFM_WRITE, &info, SF_FALSE);
    if (!file) return errno > 0 ? -errno : -EINVAL;
    sf_command(file, SFC_RF64_AUTO_DOWNGRADE, NULL, SF_TRUE);
    sf_command(file, SFC_SET_UPDATE_HEADER_AUTO, NULL, SF_TRUE);
    // Raw writes don't feed it, so it would be wrong.
    sf_command(file, SFC_SET_ADD_PEAK_CHUNK, NULL, SF_FALSE);
    *out = (cc_sound *)file;
    return 0;
}

int64_t cc_sound_write(cc_sound *sound, const void *bytes, size_t count) {
    return sf_write_raw(of(sound), bytes, (sf_count_t)count);
}

int cc_sound_error(cc_sound *sound) {
    return sf_error(of(sound));
}

const char *cc_sound_text(cc_sound *sound) {
    return sf_strerror(of(sound));
}

int cc_sound_close(cc_sound *sound) {
    errno = 0;
    if (sf_close(of(sound)) == 0) return 0;
    return errno > 0 ? -errno : -EIO;
}
