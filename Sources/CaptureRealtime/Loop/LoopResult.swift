import CMedia

/// Outcome of a capture loop.
///
/// *thread-safe*
public struct LoopResult: BitwiseCopyable, Sendable, Hashable {
    public let end: LoopEnd
    /// Set for ``LoopEnd/failed``, and for ``LoopEnd/deviceGone`` if a call reported it.
    public let fault: RealtimeFault?

    @_noLocks @_noAllocation
    public init(_ end: LoopEnd, fault: RealtimeFault? = nil) {
        self.end = end
        self.fault = fault
    }

    /// Result in one word, for an atomic. Never 0, which means that the loop is still running.
    var packed: UInt64 {
        let base = UInt64(end.rawValue) + 1
        guard let fault else { return base }
        return base | UInt64(fault.call.rawValue) << 8 | UInt64(UInt32(bitPattern: fault.errno)) << 32
    }

    /// `nil` for a loop that is still running. Any word is accepted, since another process may have written it.
    @_noLocks @_noAllocation
    init?(packed: UInt64) {
        guard packed != 0, let end = LoopEnd(rawValue: UInt8(truncatingIfNeeded: packed) &- 1) else { return nil }
        let call = RealtimeCall(rawValue: UInt8(truncatingIfNeeded: packed >> 8))
        let errno = Int32(bitPattern: UInt32(truncatingIfNeeded: packed >> 32))
        guard let call else {
            self.init(end)
            return
        }
        self.init(end, fault: RealtimeFault(call, result: 0 &- errno))
    }
}

/// Reason why a capture loop returned.
///
/// *thread-safe*
public enum LoopEnd: UInt8, BitwiseCopyable, Sendable, Hashable {
    /// Stop requested.
    case stopped
    /// Permission revoked.
    case revoked
    /// Permission expired.
    case expired
    /// Device unplugged.
    case deviceGone
    /// No data for max(5 periods, 500 ms), and none after one restart; or a call to the device did not return.
    case stalled
    /// A call failed; the fault names it.
    case failed
    /// The signal at the input differs from the one that the device is set up for.
    case signalChanged
}

/// Failed system call: the only error type inside the fence, trivial so that it can be created there.
///
/// *realtime-safe*
public struct RealtimeFault: Error, BitwiseCopyable, Sendable, Hashable {
    public let call: RealtimeCall
    /// Positive errno, as in errno.h.
    public let errno: Int32

    /// - Parameters:
    ///   - call: The call that failed.
    ///   - result: A C shim's result: -errno.
    @_noLocks @_noAllocation
    public init(_ call: RealtimeCall, result: Int32) {
        self.call = call
        self.errno = 0 &- result
    }

    /// The driver's announcement that no more data will come (`V4L2_EVENT_EOS`).
    public static var streamOver: RealtimeFault {
        @_noLocks @_noAllocation get { RealtimeFault(.dequeueEvent, result: 0 &- ENODATA) }
    }

    /// An error state of the device that does not go away (EIO).
    static var lastingError: RealtimeFault {
        @_noLocks @_noAllocation get { RealtimeFault(.poll, result: 0 &- EIO) }
    }

    /// True for the errnos of an unplugged device: ENODEV, ENXIO and ESHUTDOWN.
    public var meansGone: Bool {
        @_noLocks @_noAllocation get { errno == ENODEV || errno == ENXIO || errno == ESHUTDOWN }
    }
}

/// - Returns: `result`, unless it is an error.
func checked(_ call: RealtimeCall, _ result: Int32) throws(RealtimeFault) -> Int32 {
    guard result >= 0 else { throw RealtimeFault(call, result: result) }
    return result
}

/// - Returns: `result`, unless it is an error.
func checked(_ call: RealtimeCall, _ result: Int64) throws(RealtimeFault) -> Int {
    guard result >= 0 else { throw RealtimeFault(call, result: Int32(truncatingIfNeeded: result)) }
    return Int(result)
}

/// A C call that can fail in the fence, named by a ``RealtimeFault``.
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
    case setPlaybackPCM, writePCM
    case lendMemory, wakePipe

    /// Name of the function or request, as in its manual page.
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
        case .setPlaybackPCM: "snd_pcm_set_params"
        case .writePCM: "snd_pcm_writei"
        default: videoFunction
        }
    }

    /// True for calls that the device answers, false for those of the system alone.
    public var isOfDevice: Bool {
        switch self {
        case .memory, .eventDescriptor, .timer, .poll, .lendMemory, .wakePipe: false
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
        case .lendMemory: "fcntl"
        case .wakePipe: "pipe2"
        default: "poll"
        }
    }
}
