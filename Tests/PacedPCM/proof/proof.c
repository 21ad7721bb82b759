// Proves, through real libasound, that the paced microphone does what its tests rely on. Of the timing only its order is judged:
// everything else is decided by the numbers of the frames that arrived.
#include <alsa/asoundlib.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { rate = 48000, channels = 2, period = 480 };

static void require(int truth, const char *sentence) {
    if (truth) return;
    fprintf(stderr, "not so: %s\n", sentence);
    exit(1);
}

static snd_pcm_t *opened(const char *name) {
    snd_pcm_t *pcm;
    require(snd_pcm_open(&pcm, name, SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK) == 0, "the PCM opens");
    snd_pcm_hw_params_t *hardware;
    snd_pcm_hw_params_alloca(&hardware);
    require(snd_pcm_hw_params_any(pcm, hardware) >= 0, "it has parameters");
    require(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED) == 0, "it takes the access");
    require(snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_S32_LE) == 0, "it takes the format");
    require(snd_pcm_hw_params_set_channels(pcm, hardware, channels) == 0, "it takes the channels");
    require(snd_pcm_hw_params_set_rate(pcm, hardware, rate, 0) == 0, "it takes the rate");
    require(snd_pcm_hw_params_set_period_size(pcm, hardware, period, 0) == 0, "it takes the period");
    require(snd_pcm_hw_params_set_buffer_size(pcm, hardware, 50 * period) == 0, "it takes the buffer");
    require(snd_pcm_hw_params(pcm, hardware) == 0, "it takes them together");
    require(snd_pcm_start(pcm) == 0, "it starts");
    return pcm;
}

// What poll() says of the PCM within the time; 0 if it says nothing.
static unsigned short polled(snd_pcm_t *pcm, int milliseconds) {
    struct pollfd descriptors[4];
    int count = snd_pcm_poll_descriptors(pcm, descriptors, 4);
    require(count == 1, "it has one descriptor to poll");
    if (poll(descriptors, 1, milliseconds) == 0) return 0;
    unsigned short events;
    require(snd_pcm_poll_descriptors_revents(pcm, descriptors, 1, &events) == 0, "its events can be asked for");
    return events;
}

// The number of a frame by its first sample: the hash's factor has an inverse modulo 2^32.
static int64_t number_of(const int32_t *frame) { return (uint32_t)(frame[0]) * UINT32_C(244002641) / 8; }

// Reads periods until an error, which is returned; the frames read must follow on each other.
static int read_on(snd_pcm_t *pcm, int64_t *next, int64_t until) {
    int32_t samples[period * channels];
    while (*next < until) {
        unsigned short events = polled(pcm, 5000);
        require(events != 0, "it wakes its reader");
        snd_pcm_sframes_t got = snd_pcm_readi(pcm, samples, period);
        if (got < 0) {
            require((events & POLLERR) != 0, "poll tells of the error before the read does");
            return (int)got;
        }
        for (snd_pcm_sframes_t at = 0; at < got; at++, (*next)++)
            require(number_of(samples + at * channels) == *next % (INT64_C(1) << 29), "frame follows on frame");
    }
    return 0;
}

static void prove_pace(void) {
    snd_pcm_t *pcm = opened("paced");
    int64_t next = 0;
    require(read_on(pcm, &next, rate / 2) == 0, "half a second comes without an error");
    snd_pcm_close(pcm);
}

// Longer than the buffer.
static void leave_alone(void) { poll(NULL, 0, 1000 * 50 * period / rate + 100); }

static void prove_patience(void) {
    snd_pcm_t *pcm = opened("paced");
    int64_t next = 0;
    leave_alone();
    require(read_on(pcm, &next, rate) == 0 && next >= rate, "it waits for a reader who is late, and nothing is missing");
    snd_pcm_close(pcm);
    pcm = opened("paced_with:PATIENT=0");
    leave_alone();
    int32_t frame[channels];
    require(snd_pcm_readi(pcm, frame, 1) == -EPIPE, "without patience it has overrun");
    snd_pcm_close(pcm);
}

static void prove_xrun(void) {
    snd_pcm_t *pcm = opened("paced_stall");
    int64_t next = 0;
    require(read_on(pcm, &next, rate) == -EPIPE, "the stall ends in -EPIPE");
    require(snd_pcm_state(pcm) == SND_PCM_STATE_XRUN, "and in the state XRUN");
    require(next >= rate / 2 - period && next <= rate / 2, "what came before the stall was read");
    require(snd_pcm_prepare(pcm) == 0 && snd_pcm_start(pcm) == 0, "prepare and start bring it back");
    int32_t frame[channels];
    require(polled(pcm, 5000) == POLLIN && snd_pcm_readi(pcm, frame, 1) == 1, "it delivers again");
    require(number_of(frame) >= rate / 2 + rate / 5, "the frames of the stall are missing");
    next = number_of(frame) + 1;
    require(read_on(pcm, &next, next + rate / 2) == 0, "and it does not stall twice");
    snd_pcm_close(pcm);
}

static void prove_vanishing(void) {
    snd_pcm_t *pcm = opened("paced_vanish");
    int64_t next = 0;
    require(read_on(pcm, &next, rate) == -ENODEV, "the unplugging gives -ENODEV");
    require(snd_pcm_state(pcm) == SND_PCM_STATE_DISCONNECTED, "and the state DISCONNECTED");
    require(snd_pcm_prepare(pcm) < 0, "it cannot be brought back");
    snd_pcm_close(pcm);
}

static void prove_silence(void) {
    snd_pcm_t *pcm = opened("paced_with:DEAD_AFTER=4800");
    int64_t next = 0;
    require(read_on(pcm, &next, 4800) == 0, "what comes before the silence was read");
    require(polled(pcm, 300) == 0, "then nothing comes");
    require(snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING, "and no error is told");
    snd_pcm_close(pcm);
}

// In a separate process, which an alarm ends.
static int hangs(snd_pcm_t *pcm, int (*call)(snd_pcm_t *)) {
    pid_t child = fork();
    if (child == 0) {
        alarm(1);
        call(pcm);
        _exit(0);
    }
    int status = 0;
    require(waitpid(child, &status, 0) == child, "the caller ends");
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
}

static void prove_hanging(void) {
    snd_pcm_t *pcm = opened("paced_with:DEAD_AFTER=4800,DEAD_HANGS=1");
    int64_t next = 0;
    require(read_on(pcm, &next, 4800) == 0, "what comes before it hangs was read");
    require(hangs(pcm, snd_pcm_drop), "stopping it never returns");
    // It is not closed: that would never return either.
}

// A refusal is an error or, if libasound hides it, the unchanged state.
static int resumed(snd_pcm_t *pcm) {
    int answer = snd_pcm_resume(pcm);
    if (answer == 0 && snd_pcm_state(pcm) == SND_PCM_STATE_SUSPENDED) return -EAGAIN;
    return answer;
}

static snd_pcm_t *asleep(const char *name, int64_t *next) {
    snd_pcm_t *pcm = opened(name);
    require(read_on(pcm, next, rate) == -ESTRPIPE, "the sleep ends in -ESTRPIPE");
    require(snd_pcm_state(pcm) == SND_PCM_STATE_SUSPENDED, "and in the state SUSPENDED");
    require(*next >= rate / 2 - period && *next <= rate / 2, "what came before the sleep was read");
    require(resumed(pcm) == -EAGAIN, "it can't be resumed at once");
    return pcm;
}

static void prove_waking(snd_pcm_t *pcm, int64_t first) {
    int32_t frame[channels];
    while (polled(pcm, 5000) == POLLIN && snd_pcm_readi(pcm, frame, 1) == 1)
        if (number_of(frame) >= first) break;
    int64_t next = number_of(frame) + 1;
    require(next > rate / 2 + rate, "the frames of the sleep are missing");
    require(read_on(pcm, &next, next + rate / 2) == 0, "and it does not sleep twice");
    snd_pcm_close(pcm);
}

static void prove_sleep(void) {
    int64_t next = 0;
    snd_pcm_t *pcm = asleep("paced_with:SLEEP_AFTER=24000,SLEEP_MS=1000", &next);
    while (resumed(pcm) == -EAGAIN) poll(NULL, 0, 5);
    require(snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING, "resume brings it back");
    prove_waking(pcm, rate / 2);
}

static void prove_sleep_without_resume(void) {
    int64_t next = 0;
    snd_pcm_t *pcm = asleep("paced_with:SLEEP_AFTER=24000,SLEEP_MS=1000,WAKES=0", &next);
    for (int time = 0; time < 300; time++, poll(NULL, 0, 5)) require(resumed(pcm) < 0, "resume never brings it back");
    require(snd_pcm_prepare(pcm) == 0 && snd_pcm_start(pcm) == 0, "prepare and start do");
    prove_waking(pcm, rate / 2);
}

static const struct {
    const char *name;
    void (*prove)(void);
} proofs[] = {
    {"pace", prove_pace},       {"patience", prove_patience}, {"xrun", prove_xrun},   {"vanishing", prove_vanishing},
    {"silence", prove_silence}, {"hanging", prove_hanging},   {"sleep", prove_sleep}, {"sleep-without-resume", prove_sleep_without_resume},
};

int main(int count, char **words) {
    for (size_t number = 0; count == 2 && number < sizeof proofs / sizeof *proofs; number++) {
        if (strcmp(proofs[number].name, words[1]) != 0) continue;
        proofs[number].prove();
        return 0;
    }
    fprintf(stderr, "usage: proof NAME\n");
    return 64;
}
