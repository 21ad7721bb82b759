import Glibc

/// The errors that the manual pages name for the calls of the shims: eventfd(2), poll(2) and so on, "Linux Media Infrastructure
/// userspace API" with its generic error codes, alsa-lib's reference. Without EBADF and EFAULT, and errors that only result from
/// arguments that the shims never pass.
enum FaultTable {
    /// What any call on a device's node may say.
    private static let device = [EIO, ENODEV]
    private static let descriptors = [EMFILE, ENFILE, ENOMEM]
    /// Any ioctl of V4L2.
    private static let generic = [EAGAIN, EBUSY, EINVAL, ENOMEM, ENOTTY, ENXIO, EPERM] + device

    static func errors(of call: String) -> [Int32] {
        if let known = known[call] { return known }
        if call.hasPrefix("VIDIOC_") { return generic + (own[call] ?? []) }
        if call.hasPrefix("snd_pcm_hw_params_") || call.hasPrefix("snd_pcm_sw_params_") { return [EINVAL] }
        if call.hasPrefix("snd_pcm_poll_descriptors") { return [EINVAL] + device }
        if call.hasPrefix("snd_ctl_elem_") { return [EACCES, EBUSY, EINVAL, ENOENT, EPERM] + device }
        if call.hasPrefix("snd_") { return [EINVAL] + device }
        return [ENOMEM]
    }

    /// What the page of a request of V4L2 names beside the generic ones.
    private static let own: [String: [Int32]] = [
        "VIDIOC_QBUF": [EPIPE],
        "VIDIOC_DQBUF": [EPIPE],
        "VIDIOC_STREAMON": [ENOLINK, ENOSPC, EPIPE],
        "VIDIOC_S_CTRL": [EACCES, ERANGE],
        "VIDIOC_G_CTRL": [EACCES],
        "VIDIOC_S_EXT_CTRLS": [EACCES, EILSEQ, ENOSPC, ERANGE],
        "VIDIOC_G_EXT_CTRLS": [EACCES, ENOSPC],
        "VIDIOC_QUERY_EXT_CTRL": [EACCES],
        "VIDIOC_S_STD": [ENODATA],
        "VIDIOC_QUERYSTD": [ENODATA],
        "VIDIOC_ENUM_DV_TIMINGS": [ENODATA],
        "VIDIOC_DQEVENT": [ENOENT],
        "VIDIOC_QUERY_DV_TIMINGS": [ENODATA, ENOLCK, ENOLINK, ERANGE],
        "VIDIOC_S_DV_TIMINGS": [ENODATA],
        "VIDIOC_G_DV_TIMINGS": [ENODATA],
    ]

    private static let known: [String: [Int32]] = [
        "open": descriptors + [EACCES, EAGAIN, EBUSY, EINTR, EINVAL, ELOOP, ENODEV, ENOENT, ENOTDIR, ENXIO, EPERM],
        "close": [EINTR, EIO, ENOSPC, EDQUOT],
        "poll": [EINTR, EINVAL, ENOMEM],
        "read": [EAGAIN, EINTR, EINVAL, EIO],
        "write": [EAGAIN, EINTR, EINVAL, EIO],
        "eventfd": descriptors + [EINVAL, ENODEV],
        "timerfd_create": descriptors + [EINVAL, ENODEV, EPERM],
        "timerfd_settime": [EINVAL],
        "memfd_create": descriptors + [EINVAL],
        "ftruncate": [EFBIG, EINTR, EINVAL, EIO, EPERM],
        // Of MADV_POPULATE_WRITE, which says with EFAULT that the mapping has no memory, whatever the address.
        "madvise": [EAGAIN, EFAULT, EHWPOISON, EINVAL, ENOMEM],
        "mmap": [EACCES, EAGAIN, EINVAL, ENFILE, ENODEV, ENOMEM, EOVERFLOW, EPERM],
        "munmap": [EINVAL, ENOMEM],
        "sched_getscheduler": [EINVAL, EPERM, ESRCH],
        "sched_getparam": [EINVAL, EPERM, ESRCH],
        "sched_setscheduler": [EINVAL, EPERM, ESRCH],
        "getpriority": [EINVAL, ESRCH],
        "setpriority": [EACCES, EINVAL, EPERM, ESRCH],
        "pthread_getname_np": [ERANGE],
        "pthread_setname_np": [ERANGE],
        "snd_pcm_open": descriptors + [EACCES, EAGAIN, EBUSY, EINVAL, ENOENT, ENXIO, EPERM] + device,
        "snd_pcm_hw_params_malloc": [ENOMEM],
        "snd_pcm_hw_params": [EBADFD, EBUSY, EINVAL, ENOMEM] + device,
        "snd_pcm_sw_params": [EINVAL] + device,
        "snd_pcm_prepare": [EBADFD, EBUSY, EPIPE, ESTRPIPE] + device,
        "snd_pcm_start": [EBADFD, EPIPE, ESTRPIPE] + device,
        "snd_pcm_resume": [EAGAIN, EBADFD, ENOSYS] + device,
        "snd_pcm_drop": [EBADFD] + device,
        "snd_pcm_readi": [EAGAIN, EBADFD, EINVAL, EPIPE, ESTRPIPE] + device,
        "snd_pcm_readn": [EAGAIN, EBADFD, EINVAL, EPIPE, ESTRPIPE] + device,
        "snd_pcm_htimestamp": [EBADFD, EIO],
        "snd_pcm_close": [EIO],
        "snd_ctl_open": descriptors + [EACCES, EAGAIN, EBUSY, ENOENT, ENXIO, EPERM] + device,
        "snd_ctl_elem_list_alloc_space": [ENOMEM],
        "snd_ctl_get_dB_range": [EINVAL, ENXIO] + device,
        "snd_ctl_convert_to_dB": [EINVAL, ENXIO] + device,
        "snd_ctl_convert_from_dB": [EINVAL, ENXIO] + device,
        // Its own codes for a broken image, for too little space and for too little memory.
        "v4lconvert_convert": [EAGAIN, EFAULT, EINVAL, EIO, ENOMEM, EPIPE],
    ]

    /// A signal that interrupts one call forever does not exist.
    static func lasts(_ error: Int32) -> Bool { error != EINTR }

    static func name(_ error: Int32) -> String {
        strerror(error).map { String(cString: $0) } ?? "\(error)"
    }
}
