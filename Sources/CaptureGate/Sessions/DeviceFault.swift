import CSystem
import CaptureBase
import CaptureRealtime
import Gate

/// Says in words what the capture loop says in numbers.
struct DeviceFault {
    let device: Device
    /// What a camera was to deliver.
    var format: VideoFormat?
    /// What its input says, and what comes in by now where that is another signal.
    var signal = SignalState.present
    var changed: SignalTimings?

    /// The error for a call that failed while the device was opened or captured.
    func error(_ fault: RealtimeFault) -> CaptureError {
        let call = words(fault)
        if let error = ofInput(fault, call) { return error }
        switch fault.errno {
        case EINVAL where isNegotiation(fault.call):
            return CaptureError(
                .notAsAsked, "\(named) can't do what was asked (\(call)).", errno: fault.errno,
                remedies: [Remedy("See what it can do.", command: "capturegate devices --json")])
        case EPIPE where fault.call == .streamOn, ENOLINK where fault.call == .streamOn:
            return withoutPipeline(call, fault.errno)
        case EPERM where !isOpening(fault.call), EACCES where !isOpening(fault.call): return failed(call, fault.errno)
        case _ where !fault.call.isOfDevice: return ofSystem(call, fault.errno) ?? failed(call, fault.errno)
        default: return error(fault.call.function, fault.errno)
        }
    }

    /// The error for a call to the device, named as its manual page has it, and a positive errno.
    func error(_ function: String, _ errno: Int32) -> CaptureError {
        let call = words(function, errno)
        switch errno {
        case EBUSY: return busy(call)
        case ENOENT, ENXIO, ENODEV: return gone(.noDevice, "\(named) is not there any more", call, errno)
        case EPERM, EACCES: return refused(call)
        case ENOSPC: return noBandwidth(call)
        default: return ofSystem(call, errno) ?? failed(call, errno)
        }
    }

    /// The error for what the system has too little of, whomever it was asked for.
    private func ofSystem(_ call: String, _ errno: Int32) -> CaptureError? {
        switch errno {
        case EMFILE, ENFILE: tooManyFiles(call, errno)
        case ENOMEM: noMemory(call)
        default: nil
        }
    }

    private func words(_ fault: RealtimeFault) -> String { words(fault.call.function, fault.errno) }

    private func words(_ call: String, _ errno: Int32) -> String { "\(call): \(SystemText.error(errno))" }

    /// How a capture ended, from how its loop did.
    func end(_ result: LoopResult, gate: CaptureEndReason?) -> SessionEnd {
        switch result.end {
        case .stopped: return .stopped
        case .revoked: return .refused((gate ?? .revoked).error(device.description, as: device.capability))
        case .expired: return .refused(CaptureEndReason.expired.error(device.description, as: device.capability))
        case .deviceGone:
            return .deviceGone(
                gone(.deviceGone, "\(named) was unplugged", result.fault.map(words), result.fault?.errno ?? 0))
        case .signalChanged: return .signalChanged(otherSignal)
        case .stalled where signal != .present: return .signalChanged(signal.error(device.description))
        case .stalled:
            return .stalled(CaptureError(.stalled, "\(named) stopped delivering.", remedies: [revival]))
        case .failed:
            return .failed(result.fault.map { error($0) } ?? failed("no call said why", 0))
        }
    }

    /// The error for an opening that does not return.
    func unanswered(after patience: Duration) -> CaptureError {
        CaptureError(
            .stalled, "\(named) did not answer within \(patience.components.seconds) s.", remedies: [revival])
    }

    /// The error for an opening that nobody waits for any more.
    var cancelled: CaptureError { CaptureError(.cancelled, "The opening of \(named) was cancelled.") }

    private var revival: Remedy {
        if device.capability == .microphone, device.nodes.isEmpty {
            return Remedy("Start the sound server again, or choose another device.", command: "capturegate devices")
        }
        return Remedy("Plug it in again, or try another format or a lower rate.")
    }

    fileprivate var named: String { "\(QuestionText.visible(device.name)) [\(device.id)]" }

    private func isOpening(_ call: RealtimeCall) -> Bool { call == .openPCM || call == .openCamera }

    private func isNegotiation(_ call: RealtimeCall) -> Bool {
        switch call {
        case .parametersPCM, .accessPCM, .formatPCM, .channelsPCM, .ratePCM, .periodPCM, .bufferPCM, .commitPCM,
            .getFormat, .setFormat, .setParameters:
            true
        default: false
        }
    }

    private func gone(_ kind: CaptureError.Kind, _ what: String, _ call: String?, _ errno: Int32) -> CaptureError {
        CaptureError(
            kind, what + (call.map { " (\($0))" } ?? "") + ".", errno: errno,
            remedies: [Remedy("Plug it in again, or choose another device.", command: "capturegate devices")])
    }

    private func failed(_ call: String, _ errno: Int32) -> CaptureError {
        CaptureError(
            .inputOutput, "\(named) failed (\(call)).", errno: errno,
            remedies: [
                Remedy("Try again, or plug it in again; the kernel's messages may say more.", command: "sudo dmesg")
            ])
    }

    /// Sensor, scaler and whatever else lies before the node are the user's to connect, and to give formats that agree.
    private func withoutPipeline(_ call: String, _ errno: Int32) -> CaptureError {
        CaptureError(
            .inputOutput,
            "\(named) is the end of a pipeline that is not set up: its parts are not linked, or their formats do not agree "
                + "with the one asked for (\(call)).", errno: errno,
            remedies: [
                Remedy(
                    "Set its links and formats with media-ctl, then try again.", command: "media-ctl --print-topology")
            ])
    }

    private func tooManyFiles(_ call: String, _ errno: Int32) -> CaptureError {
        CaptureError(
            .unavailable, "\(named) can't be used: too many files are open (\(call)).", errno: errno,
            remedies: [Remedy("Close some, or raise the limit.", command: "ulimit -n 4096")])
    }

    private func noMemory(_ call: String) -> CaptureError {
        CaptureError(
            .unavailable, "\(named) can't be used: there is too little memory (\(call)).", errno: ENOMEM,
            remedies: [Remedy("End other programs, or ask for smaller pictures.")])
    }

    private func busy(_ call: String) -> CaptureError {
        let holder = device.nodes.lazy.flatMap { DeviceHolders.holdings(of: $0) }.first?.holder
        return busy(holder: holder, call: call)
    }

    /// The error for a device that another process holds.
    ///
    /// - Parameter isRoot: whether this process sees all others of its namespace.
    func busy(holder: DeviceHolder?, call: String, isRoot: Bool = cs_geteuid() == 0) -> CaptureError {
        let hidden = isRoot ? "no other process that can be seen here holds it" : "its holder is hidden"
        let who = holder.map { "process \($0.processID) (\($0.command)) holds it" } ?? hidden
        return CaptureError(
            .busy, "\(named) is busy: \(who) (\(call)).", errno: EBUSY, remedies: [remedy(against: holder, isRoot)])
    }

    private func remedy(against holder: DeviceHolder?, _ isRoot: Bool) -> Remedy {
        guard let holder else {
            guard isRoot else { return Remedy("Run as root to see the holder.", command: "sudo capturegate status") }
            return Remedy(
                "Look for it in containers and virtual machines, or for a second use of it in this program; its driver may "
                    + "be busy as well, and the kernel's messages say more.", command: "dmesg")
        }
        guard device.capability == .microphone, AudioServer.isOne(holder) else {
            return Remedy("End that program, or choose another device.", command: "kill \(holder.processID)")
        }
        return Remedy(
            "Record through the sound server, which shares it.",
            command: "capturegate record clip.flac --camera none --microphone default")
    }

    private func refused(_ call: String) -> CaptureError {
        let restriction = device.nodes.lazy.compactMap { NodeAccess.restriction(on: $0) }.first
        return CaptureError(
            .notAuthorized, restriction?.reason ?? "\(named) may not be opened (\(call)).", errno: EACCES,
            remedies: restriction?.remedies
                ?? [Remedy("See what may be used here, and what stands in the way.", command: "capturegate status")])
    }

    private func noBandwidth(_ call: String) -> CaptureError {
        CaptureError(
            .unavailable, "\(named) gets no USB bandwidth for this format (\(call)).", errno: ENOSPC,
            remedies: [lighter, Remedy("Or plug it into another USB controller.")])
    }

    private var lighter: Remedy {
        guard let format, let (mode, rate) = FallbackMode.best(of: modes, than: format) else {
            return Remedy(
                "Choose MJPEG, a smaller size or fewer frames a second.", command: "capturegate devices --json")
        }
        let size = "\(mode.width)x\(mode.height)"
        return Remedy(
            "Choose what needs less, such as \(size) \(mode.pixelFormat) at \(rate) a second.",
            command: "capturegate record clip.mkv --camera \(device.id) --size \(size) --fps \(rate) "
                + "--pixel-format \(mode.pixelFormat)")
    }

    /// Asked for now where the device was listed without: what does not stream can be asked.
    private var modes: [VideoMode] {
        if case .video(let modes) = device.formats { return modes }
        guard let node = device.nodes.first, case .video(let modes) = CameraFormats.read(node).formats else {
            return []
        }
        return modes
    }
}

// What a capture card says of its inputs.
extension DeviceFault {
    /// The error for a call about an input, a standard or a signal.
    fileprivate func ofInput(_ fault: RealtimeFault, _ call: String) -> CaptureError? {
        switch (fault.call, fault.errno) {
        // Without a signal problem ENOLINK is the pipeline's: its links are not set up.
        case (.streamOn, ENOLINK) where signal == .present: return nil
        case (.streamOn, ENOLINK), (.streamOn, ENOLCK), (.streamOn, ERANGE):
            return (SignalState(query: 0 &- fault.errno) ?? .noSignal).error(device.description)
        case (.getFormat, EFBIG):
            return CaptureError(
                .unavailable,
                "\(named) claims pictures of many times the memory that their size can need; none is reserved (\(call)).",
                errno: EFBIG, remedies: [Remedy("Choose another size or pixel format, or another camera.")])
        case (.dequeueEvent, ENODATA):
            return CaptureError(
                .unavailable, "\(named) has ended its stream (V4L2_EVENT_EOS).", errno: ENODATA,
                remedies: [Remedy("Start what feeds it, then try again.")])
        case (.selectInput, EINVAL), (.findInput, EINVAL), (.setStandard, EINVAL), (.findTimings, EINVAL):
            return noSuch(fault.call, call)
        default: return nil
        }
    }

    private func noSuch(_ call: RealtimeCall, _ words: String) -> CaptureError {
        let input = device.nodes.first.flatMap { node in CameraInputs.read(node).inputs.first(where: \.isCurrent) }
        let place = input.map { "input \(QuestionText.visible($0.name)) of \(named)" } ?? named
        let (what, all) =
            switch call {
            case .setStandard: ("standard", input?.standards.map(\.description) ?? [])
            case .findTimings: ("timings", input?.takes.map(\.description) ?? [])
            default: ("input", [])
            }
        let list = all.isEmpty ? "it has none to choose" : "it takes " + all.joined(separator: ", ")
        return CaptureError(
            .notAsAsked, "The \(place) has no such \(what) (\(words)): \(list).", errno: EINVAL,
            remedies: [Remedy("Choose one of these, or another input.", command: "capturegate devices --json")])
    }

    /// The error where another signal came in mid-stream.
    private var otherSignal: CaptureError {
        let now = changed.map { VideoTimings($0).description } ?? "another"
        let before = format.map { " from \($0.width)x\($0.height)" } ?? ""
        return CaptureError(
            .unavailable,
            "The signal of \(named) has changed\(before) to \(now); a file's pictures are all of one size and rate.",
            remedies: [Remedy("Record again: what comes in now is taken as it is.")])
    }
}

/// What a camera can deliver over a bus that had no room for another format.
enum FallbackMode {
    /// The best mode that needs less: the same picture compressed, else the most pixels a second of the same pixel format,
    /// half as many at most.
    ///
    /// - Returns: `nil` where the camera has none.
    static func best(of modes: [VideoMode], than format: VideoFormat) -> (mode: VideoMode, rate: FrameRate)? {
        let offers = modes.flatMap { mode in mode.frameRates.map { (mode: mode, rate: $0) } }
        return fastest(offers.filter { isCompressed($0.mode, $0.rate, insteadOf: format) })
            ?? fastest(
                offers.filter {
                    $0.mode.pixelFormat == format.pixelFormat && 2 * pixels($0.mode, $0.rate) <= pixels(format)
                })
    }

    private static func isCompressed(_ mode: VideoMode, _ rate: FrameRate, insteadOf format: VideoFormat) -> Bool {
        mode.pixelFormat.isCompressed && !format.pixelFormat.isCompressed
            && (mode.width, mode.height) == (format.width, format.height)
            && rate.framesPerSecond <= format.frameRate.framesPerSecond
    }

    private static func fastest(_ offers: [(mode: VideoMode, rate: FrameRate)]) -> (mode: VideoMode, rate: FrameRate)? {
        offers.max { pixels($0.mode, $0.rate) < pixels($1.mode, $1.rate) }
    }

    private static func pixels(_ mode: VideoMode, _ rate: FrameRate) -> Double {
        Double(mode.width * mode.height) * rate.framesPerSecond
    }

    private static func pixels(_ format: VideoFormat) -> Double {
        Double(format.width * format.height) * format.frameRate.framesPerSecond
    }
}
