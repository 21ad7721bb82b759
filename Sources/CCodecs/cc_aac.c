#if defined(CC_HAS_MP4) && !__has_include(<vo-aacenc/voAAC.h>)
#include "../Packages/missing.h"
#endif
#include "cc_aac.h"
#include "cc_library.h"

#ifdef CC_HAS_MP4
#include <limits.h>
#include <stdlib.h>
#include <vo-aacenc/cmnMemory.h>
#include <vo-aacenc/voAAC.h>

#define CALLS(EACH) \
    EACH(cmnMemAlloc) EACH(cmnMemCheck) EACH(cmnMemCopy) EACH(cmnMemFree) EACH(cmnMemSet) EACH(voGetAACEncAPI)

static struct { CALLS(CC_MEMBER) } calls;
static int loaded = -ELIBACC;

static void load(void) {
    void *library = dlopen("libvo-aacenc.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    CALLS(CC_FIND)
    loaded = 0;
}

int cc_aac_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded;
}

struct cc_aac {
    VO_AUDIO_CODECAPI api;
    VO_MEM_OPERATOR memory;
    VO_HANDLE encoder;
    // Bytes of a block.
    VO_U32 block;
};

int cc_aac_open(cc_aac **out, const cc_aac_format *format) {
    int result = cc_aac_available();
    if (result < 0) return result;
    cc_aac *aac = calloc(1, sizeof *aac);
    if (!aac) return -ENOMEM;
    aac->memory = (VO_MEM_OPERATOR){
        .Alloc = calls.cmnMemAlloc, .Free = calls.cmnMemFree, .Set = calls.cmnMemSet, .Copy = calls.cmnMemCopy,
        .Check = calls.cmnMemCheck,
    };
    VO_CODEC_INIT_USERDATA user = {.memflag = VO_IMF_USERMEMOPERATOR, .memData = &aac->memory};
    AACENC_PARAM parameters = {format->sample_rate, format->bitrate, (short)format->channels, VOAAC_RAWDATA};
    aac->block = (VO_U32)(2 * CC_AAC_FRAMES * format->channels);
    calls.voGetAACEncAPI(&aac->api);
    if (aac->api.Init(&aac->encoder, VO_AUDIO_CodingAAC, &user) != VO_ERR_NONE) {
        free(aac);
        return -ENOMEM;
    }
    if (aac->api.SetParam(aac->encoder, VO_PID_AAC_ENCPARAM, &parameters) != VO_ERR_NONE) {
        cc_aac_free(aac);
        return -EINVAL;
    }
    *out = aac;
    return 0;
}

int64_t cc_aac_encode(cc_aac *aac, int16_t *interleaved, uint8_t *out, size_t capacity) {
    VO_CODECBUFFER input = {0}, output = {0};
    VO_AUDIO_OUTPUTINFO info = {0};
    input.Buffer = (VO_PBYTE)interleaved;
    input.Length = aac->block;
    output.Buffer = out;
    output.Length = capacity > INT32_MAX ? INT32_MAX : (VO_U32)capacity;
    if (aac->api.SetInputData(aac->encoder, &input) != VO_ERR_NONE) return -EIO;
    if (aac->api.GetOutputData(aac->encoder, &output, &info) != VO_ERR_NONE) return -EIO;
    return (int64_t)output.Length;
}

void cc_aac_free(cc_aac *aac) {
    if (!aac) return;
    aac->api.Uninit(aac->encoder);
    free(aac);
}

#else

int cc_aac_available(void) { return -ENOSYS; }
int cc_aac_open(cc_aac **encoder, const cc_aac_format *format) {
    (void)encoder, (void)format;
    return -ENOSYS;
}
int64_t cc_aac_encode(cc_aac *encoder, int16_t *interleaved, uint8_t *out, size_t capacity) {
    (void)encoder, (void)interleaved, (void)out, (void)capacity;
    return -ENOSYS;
}
void cc_aac_free(cc_aac *encoder) { (void)encoder; }

#endif
