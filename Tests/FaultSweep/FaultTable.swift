import Glibc

/// The errors that the manual pages name for the calls of the shims: eventfd(2), poll(2) and so on, "Linux Media
/// Infrastructure userspace API", alsa-lib's reference.
enum FaultTable {
    /// What any call on a device's node may say.
    private static let device = [EIO, ENODEV]
    private static let descriptors = [EMFILE, ENFILE, ENOMEM]

    static func errors(of call: String) -> [Int32] {
        if let known = known[call] { return known }
        if call.hasPrefix("VIDIOC_ENUM") || call.hasPrefix("VIDIOC_G_") { return [EINVAL, ENODEV, ENOTTY] }
        if call.hasPrefix("VIDIOC_") { return [EINVAL, EBUSY] + device }
        if call.hasPrefix("snd_pcm_hw_params_") || call.hasPrefix("snd_pcm_sw_params_") { return [EINVAL] }
        if call.hasPrefix("snd_") { return [EINVAL] + device }
        return [ENOMEM]
    }

    private static let known: [String: [Int32]] = [
        "open": descriptors + [EACCES, EBUSY, EINTR, ENOENT, ENXIO, EPERM],
        "close": [EINTR, EIO],
        "poll": [EINTR, EINVAL, ENOMEM],
        "read": [EAGAIN, EINTR],
        "write": [EAGAIN],
        "eventfd": descriptors + [ENODEV],
        "timerfd_create": descriptors + [EPERM],
        "timerfd_settime": [EINVAL],
        "memfd_create": descriptors,
        "ftruncate": [EFBIG, EIO, EPERM],
        "madvise": [EAGAIN, EINVAL, ENOMEM],
        "mmap": [EACCES, EAGAIN, EINVAL, ENFILE, ENODEV, ENOMEM, EPERM],
        "sched_getscheduler": [EPERM, ESRCH],
        "sched_getparam": [EPERM, ESRCH],
        "sched_setscheduler": [EINVAL, EPERM, ESRCH],
        "getpriority": [EINVAL, ESRCH],
        "setpriority": [EACCES, EPERM, ESRCH],
        "snd_pcm_open": descriptors + [EACCES, EAGAIN, EBUSY, ENOENT] + device,
        "snd_pcm_hw_params_malloc": [ENOMEM],
        "snd_pcm_hw_params": [EBUSY, EINVAL, ENOMEM] + device,
        "snd_pcm_prepare": [EBADFD, EPIPE] + device,
        "snd_pcm_start": [EBADFD, EPIPE] + device,
        "snd_pcm_resume": [EAGAIN, ENOSYS],
        "snd_pcm_drop": [EBADFD],
        "snd_pcm_readi": [EAGAIN, EBADFD, EPIPE, ESTRPIPE] + device,
        "snd_pcm_readn": [EAGAIN, EBADFD, EPIPE, ESTRPIPE] + device,
        "snd_pcm_htimestamp": [EBADFD, EIO],
        "snd_pcm_close": [EIO],
        "VIDIOC_QUERYCAP": [ENOTTY] + device,
        "VIDIOC_S_PARM": [EINVAL, EBUSY, ENOTTY],
        "VIDIOC_REQBUFS": [EBUSY, EINVAL, ENOMEM] + device,
        "VIDIOC_QBUF": [EINVAL, EPIPE] + device,
        "VIDIOC_DQBUF": [EAGAIN, EINVAL, EPIPE] + device,
        "VIDIOC_STREAMON": [EINVAL, ENOLINK, ENOSPC, EPIPE] + device,
        "VIDIOC_STREAMOFF": [EINVAL] + device,
    ]

    /// A signal that interrupts one call for ever is none.
    static func lasts(_ error: Int32) -> Bool { error != EINTR }

    static func name(_ error: Int32) -> String {
        strerror(error).map { String(cString: $0) } ?? "\(error)"
    }
}
