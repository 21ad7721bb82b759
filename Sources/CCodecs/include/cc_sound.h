// libsndfile, for WAV and RF64. Wrapped because its formats and commands are macros and its handle keeps text of errors.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct cc_sound cc_sound;

enum { CC_SOUND_S16 = 1, CC_SOUND_S24 = 2, CC_SOUND_S32 = 3, CC_SOUND_FLOAT = 4 };

// sf_open_fd for writing RF64 that is RIFF while it is short (SFC_RF64_AUTO_DOWNGRADE), its header right after every
// write (SFC_SET_UPDATE_HEADER_AUTO). The descriptor stays the caller's. 0 or -errno.
int cc_sound_open(cc_sound **sound, int fd, int sample_rate, int channels, int sample_format);
// sf_write_raw: whole frames in the file's own layout. The bytes taken, fewer than `count` on an error.
int64_t cc_sound_write(cc_sound *sound, const void *bytes, size_t count);
// sf_error, and sf_strerror of the handle; of the last failed opening where `sound` is NULL.
int cc_sound_error(cc_sound *sound);
const char *cc_sound_text(cc_sound *sound);
// sf_close. 0 or -errno.
int cc_sound_close(cc_sound *sound);
