import CaptureRealtime
import Gate
import LinuxSystem

/// Translation of a device's errors and ends, which the capture loop reports as numbers, into errors with texts and remedies.
///
/// One errno has different meanings for different calls: ENOLINK of VIDIOC_STREAMON is a missing signal on a capture card, and an
/// incomplete pipeline on a camera of a board.
struct DeviceFault {
    /// Device that the errors name.
    let device: Device
    /// Format that a camera was to deliver.
    var format: VideoFormat?
    /// State of the signal at its input.
    var signal = SignalState.present
    /// Timings of the incoming signal, if they differ from those of the capture.
    var changed: SignalTimings?

    /// Error for a failed call while the device was opened or captured.
    func error(_ fault: RealtimeFault) -> CaptureError {
        let call = words(fault)
        if let error = ofInput(fault, call) { return error }
        switch Errno(fault.errno) {
        // A driver that does not support the request only reports EINVAL.
        case .invalidArgument where isNegotiation(fault.call):
            return CaptureError(
                .notAsAsked, "\(named) does not support the requested format (\(call)).", errno: fault.errno,
                remedies: [Remedy("List its formats.", .listFormats(device: device.id.rawValue))])
        case .brokenPipe where fault.call == .streamOn, .linkSevered where fault.call == .streamOn:
            return withoutPipeline(call, fault.errno)
        case .notPermitted where !isOpening(fault.call), .permissionDenied where !isOpening(fault.call):
            return failed(call, fault.errno)
        case _ where !fault.call.isOfDevice: return ofSystem(call, fault.errno) ?? failed(call, fault.errno)
        default: return error(fault.call.function, fault.errno)
        }
    }

    /// Error for a failed call to the device.
    ///
    /// - Parameters:
    ///   - function: as its manual page names it.
    ///   - errno: positive.
    func error(_ function: String, _ errno: Int32) -> CaptureError {
        let call = words(function, errno)
        switch Errno(errno) {
        case .resourceBusy: return busy(call)
        case .noSuchFileOrDirectory, .noSuchAddressOrDevice, .noSuchDevice:
            return gone(.noDevice, "\(named) was removed", call, errno)
        case .notPermitted, .permissionDenied: return refused(call)
        case .noSpace: return noBandwidth(call)
        default: return ofSystem(call, errno) ?? failed(call, errno)
        }
    }

    /// Error for a shortage of the system, whichever call met it; `nil` for any other errno.
    private func ofSystem(_ call: String, _ errno: Int32) -> CaptureError? {
        switch Errno(errno) {
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem: tooManyFiles(call, errno)
        case .noMemory: noMemory(call)
        default: nil
        }
    }

    /// Call and errno in words.
    private func words(_ fault: RealtimeFault) -> String { words(fault.call.function, fault.errno) }

    private func words(_ call: String, _ errno: Int32) -> String { "\(call): \(Errno(errno).text)" }

    /// Public end of a capture.
    ///
    /// - Parameters:
    ///   - result: result of the loop.
    ///   - gate: the gate's reason to end the capture, if it did.
    func end(_ result: LoopResult, gate: CaptureEndReason?) -> SessionEnd {
        switch result.end {
        case .stopped: return .stopped
        case .revoked: return .refused((gate ?? .revoked).error(device.description, as: device.capability))
        case .expired: return .refused(CaptureEndReason.expired.error(device.description, as: device.capability))
        case .deviceGone where result == .lenderGone: return .deviceGone(.lenderGone)
        case .deviceGone:
            return .deviceGone(
                gone(.deviceGone, "\(named) was unplugged", result.fault.map(words), result.fault?.errno ?? 0))
        case .signalChanged: return .signalChanged(otherSignal)
        // Some receivers fall silent without a signal, instead of delivering noise.
        case .stalled where signal != .present: return .signalChanged(signal.error(device.description))
        case .stalled:
            return .stalled(CaptureError(.stalled, "\(named) stopped delivering.", remedies: [revival]))
        case .failed:
            return .failed(result.fault.map { error($0) } ?? failed("for an unknown reason", 0))
        }
    }

    /// Error for an opening that does not return.
    func unanswered(after patience: Duration) -> CaptureError {
        CaptureError(
            .stalled, "\(named) did not answer within \(patience.components.seconds) s.", remedies: [revival])
    }

    /// Error for an opening that nobody waits for any more.
    var cancelled: CaptureError { CaptureError(.cancelled, "The opening of \(named) was cancelled.") }

    /// Remedy for a device that does not answer. A PCM without a node hangs at its server.
    private var revival: Remedy {
        if device.capability == .microphone, device.nodes.isEmpty {
            return Remedy("Restart the sound server, or choose another device.", .listDevices)
        }
        return Remedy("Plug it in again, or try another format or a lower rate.")
    }

    /// Name and id; the name comes from the device, so it goes through the filter for text from outside.
    fileprivate var named: String { "\(QuestionText.visible(device.name)) [\(device.id)]" }

    /// True for calls that open a device.
    private func isOpening(_ call: RealtimeCall) -> Bool { call == .openPCM || call == .openCamera }

    /// True for calls that ask the device for a format.
    private func isNegotiation(_ call: RealtimeCall) -> Bool {
        switch call {
        case .parametersPCM, .accessPCM, .formatPCM, .channelsPCM, .ratePCM, .periodPCM, .bufferPCM, .commitPCM,
            .getFormat, .setFormat, .setParameters:
            true
        default: false
        }
    }

    /// Error for a device that has gone.
    private func gone(_ kind: CaptureError.Kind, _ what: String, _ call: String?, _ errno: Int32) -> CaptureError {
        CaptureError(
            kind, what + (call.map { " (\($0))" } ?? "") + ".", errno: errno,
            remedies: [Remedy("Plug it in again, or choose another device.", .listDevices)])
    }

    /// Error for a failure without a known cause.
    private func failed(_ call: String, _ errno: Int32) -> CaptureError {
        CaptureError(
            .inputOutput, "\(named) failed (\(call)).", errno: errno,
            remedies: [
                Remedy("Try again, or plug it in again. See also the kernel's messages.", command: "sudo dmesg")
            ])
    }

    /// Error for a node whose pipeline is incomplete: on boards, linking sensor and scaler and giving them agreeing
    /// formats is left to the user.
    private func withoutPipeline(_ call: String, _ errno: Int32) -> CaptureError {
        CaptureError(
            .inputOutput,
            "\(named) is the end of a media pipeline that is not set up: its parts are not linked, or their formats do not match "
                + "the requested one (\(call)).", errno: errno,
            remedies: [
                Remedy(
                    "Set its links and formats with media-ctl, then try again.", command: "media-ctl --print-topology")
            ])
    }

    /// Error for EMFILE and ENFILE.
    private func tooManyFiles(_ call: String, _ errno: Int32) -> CaptureError {
        CaptureError(
            .unavailable, "\(named) can't be used: too many files are open (\(call)).", errno: errno,
            remedies: [Remedy("Close some files, or raise the limit.", command: "ulimit -n 4096")])
    }

    /// Error for ENOMEM.
    private func noMemory(_ call: String) -> CaptureError {
        CaptureError(
            .unavailable, "\(named) can't be used: there is too little memory (\(call)).", errno: Errno.noMemory.number,
            remedies: [Remedy("End other programs, or choose a smaller size.")])
    }

    /// Error for EBUSY, with the holder from /proc.
    private func busy(_ call: String) -> CaptureError {
        let holder = device.nodes.lazy.flatMap { DeviceHolders.holdings(of: $0) }.first?.holder
        return busy(holder: holder, call: call)
    }

    /// Error for a device that another process holds.
    ///
    /// - Parameters:
    ///   - holder: holder, if it can be seen.
    ///   - call: call and errno in words.
    ///   - isRoot: true if this process sees all others of its namespace.
    func busy(holder: DeviceHolder?, call: String, isRoot: Bool = Users.effectiveID == 0) -> CaptureError {
        let hidden = isRoot ? "no visible process uses it" : "used by a hidden process"
        let who = holder.map { "used by process \($0.processID) (\($0.command))" } ?? hidden
        return CaptureError(
            .busy, "\(named) is busy: \(who) (\(call)).", errno: Errno.resourceBusy.number,
            remedies: [remedy(against: holder, isRoot)])
    }

    /// Remedy by holder: a sound server shares its microphones, any other program has to end.
    private func remedy(against holder: DeviceHolder?, _ isRoot: Bool) -> Remedy {
        guard let holder else {
            guard isRoot else { return Remedy("Let root find that process.", .showHiddenHolders) }
            return Remedy(
                "Check containers, virtual machines and this program for another use of the device. Its driver can "
                    + "be busy as well: see the kernel's messages.", command: "dmesg")
        }
        guard device.capability == .microphone, AudioServer.isOne(holder) else {
            return Remedy("End that program, or choose another device.", command: "kill \(holder.processID)")
        }
        return Remedy(
            "Record through the sound server, which shares the device.",
            .recordThroughServer)
    }

    /// Error for EPERM and EACCES: the node's restriction says who may open it.
    private func refused(_ call: String) -> CaptureError {
        let restriction = device.nodes.lazy.compactMap { NodeAccess.restriction(on: $0) }.first
        return CaptureError(
            .notAuthorized, restriction?.reason ?? "\(named) may not be opened (\(call)).",
            errno: Errno.permissionDenied.number,
            remedies: restriction?.remedies
                ?? [Remedy("See which devices you can use.", .showStatus)])
    }

    /// Error for ENOSPC, which USB cameras give for want of isochronous bandwidth.
    private func noBandwidth(_ call: String) -> CaptureError {
        CaptureError(
            .unavailable, "\(named) gets too little USB bandwidth for this format (\(call)).",
            errno: Errno.noSpace.number,
            remedies: [lighter, Remedy("Or plug it into another USB controller.")])
    }

    /// Remedy that names a mode which needs less.
    private var lighter: Remedy {
        guard let format, let (mode, rate) = FallbackMode.best(of: modes, than: format) else {
            return Remedy(
                "Choose MJPEG, a smaller size or a lower frame rate.", .listFormats(device: device.id.rawValue))
        }
        let size = "\(mode.width)x\(mode.height)"
        return Remedy(
            "Choose a format that needs less, such as \(size) \(mode.pixelFormat) at \(rate) fps.",
            .record(
                Remedy.Mode(
                    device: device.id.rawValue, width: mode.width, height: mode.height, frameRate: rate,
                    pixelFormat: mode.pixelFormat)))
    }

    /// Camera's modes. A device that was listed without them is queried now, which works since it does not stream.
    private var modes: [VideoMode] {
        if case .video(let modes) = device.formats { return modes }
        guard let node = device.nodes.first, case .video(let modes) = CameraFormats.read(node).formats else {
            return []
        }
        return modes
    }
}

// Errors of a capture card: inputs, standards and signals.
extension DeviceFault {
    /// Error for a call about an input, a standard or a signal; `nil` for any other call.
    fileprivate func ofInput(_ fault: RealtimeFault, _ call: String) -> CaptureError? {
        switch (fault.call, Errno(fault.errno)) {
        // Without a signal problem ENOLINK is the pipeline's: its links are not set up.
        case (.streamOn, .linkSevered) where signal == .present: return nil
        case (.streamOn, .linkSevered), (.streamOn, .noLocks), (.streamOn, .outOfRange):
            return (SignalState(query: 0 &- fault.errno) ?? .noSignal).error(device.description)
        // Set by the capture loop, which refuses sizes that no format can need.
        case (.getFormat, .fileTooLarge):
            return CaptureError(
                .unavailable,
                "\(named) claims far more memory per frame than its size needs, so CaptureGate refuses it (\(call)).",
                errno: Errno.fileTooLarge.number,
                remedies: [Remedy("Choose another size or pixel format, or another camera.")])
        case (.dequeueEvent, .noData):
            return CaptureError(
                .unavailable, "\(named) has ended its stream (V4L2_EVENT_EOS).", errno: Errno.noData.number,
                remedies: [Remedy("Start its source, then try again.")])
        case (.selectInput, .invalidArgument), (.findInput, .invalidArgument), (.setStandard, .invalidArgument),
            (.findTimings, .invalidArgument):
            return noSuch(fault.call, call)
        default: return nil
        }
    }

    /// Error for an input, standard or timings that the device does not have, with a list of those that it has.
    private func noSuch(_ call: RealtimeCall, _ words: String) -> CaptureError {
        let input = device.nodes.first.flatMap { node in CameraInputs.read(node).inputs.first(where: \.isCurrent) }
        let place = input.map { "input \(QuestionText.visible($0.name)) of \(named)" } ?? named
        let (what, all) =
            switch call {
            case .setStandard: ("standard", input?.standards.map(\.description) ?? [])
            case .findTimings: ("timings", input?.takes.map(\.description) ?? [])
            default: ("input", [])
            }
        let list = all.isEmpty ? "it has none to choose from" : "it supports " + all.joined(separator: ", ")
        return CaptureError(
            .notAsAsked, "The \(place) has no such \(what) (\(words)): \(list).", errno: Errno.invalidArgument.number,
            remedies: [Remedy("Choose one of these, or another input.", .listFormats(device: device.id.rawValue))])
    }

    /// Error for a signal that changed during the capture.
    private var otherSignal: CaptureError {
        let now = changed.map { VideoTimings($0).description } ?? "another"
        let before = format.map { " from \($0.width)x\($0.height)" } ?? ""
        return CaptureError(
            .unavailable,
            "The signal of \(named) has changed\(before) to \(now). A file can have only one size and frame rate.",
            remedies: [Remedy("Record again to use the new signal.")])
    }
}

/// Camera mode to suggest if a bus lacks the bandwidth for the requested one.
enum FallbackMode {
    /// Best mode that needs less bandwidth: the same size compressed, otherwise the mode of the same pixel format with the most
    /// pixels per second, but at most half of the present number.
    ///
    /// - Returns: `nil` if the camera has none.
    static func best(of modes: [VideoMode], than format: VideoFormat) -> (mode: VideoMode, rate: FrameRate)? {
        let offers = modes.flatMap { mode in mode.frameRates.map { (mode: mode, rate: $0) } }
        return fastest(offers.filter { isCompressed($0.mode, $0.rate, insteadOf: format) })
            ?? fastest(
                offers.filter {
                    $0.mode.pixelFormat == format.pixelFormat && 2 * pixels($0.mode, $0.rate) <= pixels(format)
                })
    }

    /// True for the same size, compressed, at no higher rate.
    private static func isCompressed(_ mode: VideoMode, _ rate: FrameRate, insteadOf format: VideoFormat) -> Bool {
        mode.pixelFormat.isJPEG && !format.pixelFormat.isCompressed
            && (mode.width, mode.height) == (format.width, format.height)
            && rate.framesPerSecond <= format.frameRate.framesPerSecond
    }

    /// Offer with the most pixels per second.
    private static func fastest(_ offers: [(mode: VideoMode, rate: FrameRate)]) -> (mode: VideoMode, rate: FrameRate)? {
        offers.max { pixels($0.mode, $0.rate) < pixels($1.mode, $1.rate) }
    }

    /// Pixels per second, which is proportional to the bandwidth within one pixel format.
    private static func pixels(_ mode: VideoMode, _ rate: FrameRate) -> Double {
        Double(mode.width * mode.height) * rate.framesPerSecond
    }

    private static func pixels(_ format: VideoFormat) -> Double {
        Double(format.width * format.height) * format.frameRate.framesPerSecond
    }
}
