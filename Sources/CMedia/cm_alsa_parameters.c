#if !__has_include(<alsa/asoundlib.h>)
#include "../Packages/missing.h"
#endif
#include "cm_alsa_parameters.h"
#include "cm_fault.h"
#include <alsa/asoundlib.h>

snd_pcm_hw_params_t *cm_hw_new(void) {
    snd_pcm_hw_params_t *parameters = NULL;
    return CM_RESULT(snd_pcm_hw_params_malloc, &parameters) < 0 ? NULL : parameters;
}

void cm_hw_free(snd_pcm_hw_params_t *parameters) { snd_pcm_hw_params_free(parameters); }

int32_t cm_hw_any(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters) {
    return CM_RESULT(snd_pcm_hw_params_any, pcm, parameters);
}

int32_t cm_hw_test_access(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, int32_t access) {
    return CM_RESULT(snd_pcm_hw_params_test_access, pcm, parameters, (snd_pcm_access_t)access);
}

int32_t cm_hw_test_format(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, int32_t format) {
    return CM_RESULT(snd_pcm_hw_params_test_format, pcm, parameters, (snd_pcm_format_t)format);
}

int32_t cm_hw_test_rate(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint32_t rate) {
    return CM_RESULT(snd_pcm_hw_params_test_rate, pcm, parameters, rate, 0);
}

int32_t cm_hw_test_channels(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint32_t channels) {
    return CM_RESULT(snd_pcm_hw_params_test_channels, pcm, parameters, channels);
}

int32_t cm_hw_rate_range(snd_pcm_hw_params_t *parameters, struct cm_range *range) {
    unsigned minimum = 0, maximum = 0;
    int direction = 0;
    int result = CM_RESULT(snd_pcm_hw_params_get_rate_min, parameters, &minimum, &direction);
    if (result >= 0) result = CM_RESULT(snd_pcm_hw_params_get_rate_max, parameters, &maximum, &direction);
    *range = (struct cm_range){minimum, maximum};
    return result;
}

int32_t cm_hw_channels_range(snd_pcm_hw_params_t *parameters, struct cm_range *range) {
    unsigned minimum = 0, maximum = 0;
    int result = CM_RESULT(snd_pcm_hw_params_get_channels_min, parameters, &minimum);
    if (result >= 0) result = CM_RESULT(snd_pcm_hw_params_get_channels_max, parameters, &maximum);
    *range = (struct cm_range){minimum, maximum};
    return result;
}

int32_t cm_hw_period_range(snd_pcm_hw_params_t *parameters, struct cm_range *range) {
    snd_pcm_uframes_t minimum = 0, maximum = 0;
    int direction = 0;
    int result = CM_RESULT(snd_pcm_hw_params_get_period_size_min, parameters, &minimum, &direction);
    if (result >= 0) result = CM_RESULT(snd_pcm_hw_params_get_period_size_max, parameters, &maximum, &direction);
    *range = (struct cm_range){minimum, maximum};
    return result;
}

int32_t cm_hw_buffer_range(snd_pcm_hw_params_t *parameters, struct cm_range *range) {
    snd_pcm_uframes_t minimum = 0, maximum = 0;
    int result = CM_RESULT(snd_pcm_hw_params_get_buffer_size_min, parameters, &minimum);
    if (result >= 0) result = CM_RESULT(snd_pcm_hw_params_get_buffer_size_max, parameters, &maximum);
    *range = (struct cm_range){minimum, maximum};
    return result;
}

int32_t cm_hw_set_resample(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint32_t on) {
    return CM_RESULT(snd_pcm_hw_params_set_rate_resample, pcm, parameters, on);
}

int32_t cm_hw_set_access(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, int32_t access) {
    return CM_RESULT(snd_pcm_hw_params_set_access, pcm, parameters, (snd_pcm_access_t)access);
}

int32_t cm_hw_set_format(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, int32_t format) {
    return CM_RESULT(snd_pcm_hw_params_set_format, pcm, parameters, (snd_pcm_format_t)format);
}

int32_t cm_hw_set_periods_least(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint32_t periods) {
    unsigned least = periods;
    int direction = 0;
    return CM_RESULT(snd_pcm_hw_params_set_periods_min, pcm, parameters, &least, &direction);
}

int64_t cm_hw_set_channels_near(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint32_t channels) {
    unsigned chosen = channels;
    int result = CM_RESULT(snd_pcm_hw_params_set_channels_near, pcm, parameters, &chosen);
    return result < 0 ? result : (int64_t)chosen;
}

int64_t cm_hw_set_rate_near(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint32_t rate) {
    unsigned chosen = rate;
    int result = CM_RESULT(snd_pcm_hw_params_set_rate_near, pcm, parameters, &chosen, NULL);
    return result < 0 ? result : (int64_t)chosen;
}

int64_t cm_hw_set_period_near(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint64_t frames) {
    snd_pcm_uframes_t chosen = frames;
    int result = CM_RESULT(snd_pcm_hw_params_set_period_size_near, pcm, parameters, &chosen, NULL);
    return result < 0 ? result : (int64_t)chosen;
}

int64_t cm_hw_set_buffer_near(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, uint64_t frames) {
    snd_pcm_uframes_t chosen = frames;
    int result = CM_RESULT(snd_pcm_hw_params_set_buffer_size_near, pcm, parameters, &chosen);
    return result < 0 ? result : (int64_t)chosen;
}

int32_t cm_hw_commit(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters) {
    return CM_RESULT(snd_pcm_hw_params, pcm, parameters);
}

int64_t cm_hw_period(snd_pcm_hw_params_t *parameters) {
    snd_pcm_uframes_t frames = 0;
    int result = CM_RESULT(snd_pcm_hw_params_get_period_size, parameters, &frames, NULL);
    return result < 0 ? result : (int64_t)frames;
}

int64_t cm_hw_buffer(snd_pcm_hw_params_t *parameters) {
    snd_pcm_uframes_t frames = 0;
    int result = CM_RESULT(snd_pcm_hw_params_get_buffer_size, parameters, &frames);
    return result < 0 ? result : (int64_t)frames;
}

int32_t cm_sw_commit(snd_pcm_t *pcm, uint64_t available) {
    snd_pcm_sw_params_t *parameters;
    snd_pcm_sw_params_alloca(&parameters);
    int result = CM_RESULT(snd_pcm_sw_params_current, pcm, parameters);
    // A threshold that capture never reaches: nothing but snd_pcm_start starts it.
    if (result >= 0) result = CM_RESULT(snd_pcm_sw_params_set_start_threshold, pcm, parameters, 0x7fffffff);
    if (result >= 0) result = CM_RESULT(snd_pcm_sw_params_set_avail_min, pcm, parameters, available);
    if (result >= 0) result = CM_RESULT(snd_pcm_sw_params_set_tstamp_mode, pcm, parameters, SND_PCM_TSTAMP_ENABLE);
    if (result >= 0)
        result = CM_RESULT(snd_pcm_sw_params_set_tstamp_type, pcm, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC);
    return result < 0 ? result : CM_RESULT(snd_pcm_sw_params, pcm, parameters);
}
