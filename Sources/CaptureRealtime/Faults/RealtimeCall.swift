/// The C call that a ``RealtimeFault`` speaks of.
///
/// *thread-safe*
public enum RealtimeCall: UInt8, BitwiseCopyable, Sendable, Hashable, CaseIterable {
    case openPCM = 1
    case parametersPCM, accessPCM, formatPCM, channelsPCM, ratePCM, periodPCM, bufferPCM, commitPCM
    case softwareParametersPCM, descriptorsPCM, preparePCM, startPCM, resumePCM, readPCM, readPlanesPCM
    case timestampPCM, infoPCM
    case openCamera, queryCapabilities, selectInput, queryTimings, setTimings, getFormat, setFormat, setParameters
    case requestBuffers, queryBuffer, mapBuffer, populate, queueBuffer, dequeueBuffer, streamOn
    case findInput, setStandard, findTimings, dequeueEvent
    case memory, eventDescriptor, timer, poll

    /// The function's or request's name, as its manual page has it.
    public var function: String {
        switch self {
        case .openPCM: "snd_pcm_open"
        case .parametersPCM: "snd_pcm_hw_params_any"
        case .accessPCM: "snd_pcm_hw_params_set_access"
        case .formatPCM: "snd_pcm_hw_params_set_format"
        case .channelsPCM: "snd_pcm_hw_params_set_channels_near"
        case .ratePCM: "snd_pcm_hw_params_set_rate_near"
        case .periodPCM: "snd_pcm_hw_params_set_period_size_near"
        case .bufferPCM: "snd_pcm_hw_params_set_buffer_size_near"
        case .commitPCM: "snd_pcm_hw_params"
        case .softwareParametersPCM: "snd_pcm_sw_params"
        case .descriptorsPCM: "snd_pcm_poll_descriptors"
        case .preparePCM: "snd_pcm_prepare"
        case .startPCM: "snd_pcm_start"
        case .resumePCM: "snd_pcm_resume"
        case .readPCM: "snd_pcm_readi"
        case .readPlanesPCM: "snd_pcm_readn"
        case .timestampPCM: "snd_pcm_htimestamp"
        case .infoPCM: "snd_pcm_dump"
        default: videoFunction
        }
    }

    /// Whether the device answers it, and not the system alone.
    public var isOfDevice: Bool {
        switch self {
        case .memory, .eventDescriptor, .timer, .poll: false
        default: true
        }
    }

    private var videoFunction: String {
        switch self {
        case .openCamera: "open"
        case .queryCapabilities: "VIDIOC_QUERYCAP"
        case .selectInput: "VIDIOC_S_INPUT"
        case .findInput: "VIDIOC_ENUMINPUT"
        case .setStandard: "VIDIOC_S_STD"
        case .findTimings: "VIDIOC_ENUM_DV_TIMINGS"
        case .dequeueEvent: "VIDIOC_DQEVENT"
        case .queryTimings: "VIDIOC_QUERY_DV_TIMINGS"
        case .setTimings: "VIDIOC_S_DV_TIMINGS"
        case .getFormat: "VIDIOC_G_FMT"
        case .setFormat: "VIDIOC_S_FMT"
        case .setParameters: "VIDIOC_S_PARM"
        case .requestBuffers: "VIDIOC_REQBUFS"
        case .queryBuffer: "VIDIOC_QUERYBUF"
        case .mapBuffer: "mmap"
        case .populate: "madvise"
        case .queueBuffer: "VIDIOC_QBUF"
        case .dequeueBuffer: "VIDIOC_DQBUF"
        case .streamOn: "VIDIOC_STREAMON"
        case .memory: "memfd_create"
        case .eventDescriptor: "eventfd"
        case .timer: "timerfd_create"
        default: "poll"
        }
    }
}
