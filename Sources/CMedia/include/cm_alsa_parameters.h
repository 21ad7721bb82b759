// Capabilities and settings of an open PCM: snd_pcm_hw_params_t and snd_pcm_sw_params_t.
#pragma once

#include "cm_alsa.h"
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct _snd_pcm_hw_params snd_pcm_hw_params_t;

// A least and a greatest value.
struct cm_range {
    uint64_t minimum;
    uint64_t maximum;
};

// snd_pcm_hw_params_malloc; NULL without memory.
snd_pcm_hw_params_t *_Nullable cm_hw_new(void);
void cm_hw_free(snd_pcm_hw_params_t *parameters);

// All capabilities of the PCM; each of the following calls restricts them.
int32_t cm_hw_any(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters);
int32_t cm_hw_test_access(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, int32_t access);
int32_t cm_hw_test_format(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, int32_t format);
int32_t cm_hw_test_rate(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint32_t rate);
int32_t cm_hw_test_channels(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint32_t channels);
int32_t cm_hw_rate_range(snd_pcm_hw_params_t *parameters, struct cm_range *range);
int32_t cm_hw_channels_range(snd_pcm_hw_params_t *parameters, struct cm_range *range);
int32_t cm_hw_period_range(snd_pcm_hw_params_t *parameters, struct cm_range *range);
int32_t cm_hw_buffer_range(snd_pcm_hw_params_t *parameters, struct cm_range *range);
// 0: no conversion to another rate inside plug.
int32_t cm_hw_set_resample(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint32_t on);
int32_t cm_hw_set_access(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, int32_t access);
int32_t cm_hw_set_format(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, int32_t format);
// snd_pcm_hw_params_set_periods_min; on refusal the parameters are unchanged.
int32_t cm_hw_set_periods_least(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint32_t periods);
// The "near" setters return the chosen value, or -errno.
int64_t cm_hw_set_channels_near(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint32_t channels);
int64_t cm_hw_set_rate_near(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint32_t rate);
int64_t cm_hw_set_period_near(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint64_t frames);
int64_t cm_hw_set_buffer_near(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint64_t frames);
// snd_pcm_hw_params: takes the device into use.
int32_t cm_hw_commit(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters);
// The chosen sizes, after the commit.
int64_t cm_hw_period(snd_pcm_hw_params_t *parameters);
int64_t cm_hw_buffer(snd_pcm_hw_params_t *parameters);

// Wakes at every `available` frames; needs an explicit start; time stamps of CLOCK_MONOTONIC.
int32_t cm_sw_commit(snd_pcm_t *pcm, uint64_t available);

#pragma clang assume_nonnull end
