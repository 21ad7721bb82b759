import CaptureEncoding
import CaptureGate

/// The clip's time: its start on CLOCK_MONOTONIC, its duration, and the clock that it follows.
///
/// The clip starts at the first kept frame of the leading track, which is the first camera if there is one, so that video frames
/// are at whole multiples of their duration. Its clock is CLOCK_MONOTONIC, or that of a microphone which reports here with each
/// period; the clip's time knows nothing else of that microphone.
///
/// *session-bound*
final class ClipClock {
    /// Start of the clip, CLOCK_MONOTONIC nanoseconds; `nil` until the leading track has its first frame.
    private(set) var origin: Int64?
    /// Length that the clip is to have, nanoseconds; `nil` until it is stopped.
    private(set) var duration: Int64?
    /// Rate of the clip's clock against CLOCK_MONOTONIC, less 1: 1e-6 is one part per million faster.
    private(set) var rateOffset = 0.0
    /// Latest period of the leading microphone: when it was captured, and its place in the capture. `nil` without one.
    private var lead: (moment: Int64, time: Int64)?
    /// Pauses so far.
    private(set) var cuts = ClipCuts()
    /// Moments at which frames were captured, for outputs that show them at once.
    let moments = CaptureMoments()
    /// Requests of pauses that are carried out.
    private var followed = 0

    init(duration: Duration?) { self.duration = duration?.nanoseconds }

    /// Has pauses be on whole frames of the leading camera.
    /// - Parameter frame: its duration, nanoseconds.
    func cut(onFramesOf frame: Int64) { cuts = ClipCuts(frame: frame) }

    /// Starts the clip; only the first call counts.
    func start(at nanoseconds: Int64) { origin = origin ?? nanoseconds }

    /// Time in the capture of a moment on CLOCK_MONOTONIC, nanoseconds from the clip's start, pauses included; `nil` before
    /// the clip has started.
    func captureTime(of moment: Int64) -> Int64? {
        guard let origin else { return nil }
        guard let lead else { return moment - origin }
        return lead.time + Int64((Double(moment - lead.moment) * (1 + rateOffset)).rounded())
    }

    /// Time in the clip of a moment on CLOCK_MONOTONIC, nanoseconds; `nil` before the clip has started, and in a pause.
    func time(of moment: Int64) -> Int64? { captureTime(of: moment).flatMap(cuts.time) }

    /// Ends a clip at a moment: it contains nothing that is captured later.
    /// - Parameter moment: CLOCK_MONOTONIC nanoseconds.
    /// - Returns: its length, in whole frames of the leading camera; `nil` before it has begun.
    func end(at moment: Int64) -> Int64? {
        guard let captured = captureTime(of: moment) else { return nil }
        if cuts.isPaused { cuts.resume(at: captured) }
        let time = cuts.whole(max(0, captured - cuts.removed(before: captured)))
        duration = min(duration ?? .max, time)
        return duration
    }

    // MARK: Pauses

    /// Carries out requests since the last call.
    /// - Parameter requests: moments at which a pause and its end were requested in turn, CLOCK_MONOTONIC nanoseconds.
    /// - Returns: true if there was one. Before the clip's start all of them wait.
    func follow(_ requests: [Int64]) -> Bool {
        guard origin != nil, followed < requests.count else { return false }
        for index in followed..<requests.count {
            guard let time = captureTime(of: requests[index]) else { continue }
            if index.isMultiple(of: 2) { cuts.pause(at: time) } else { cuts.resume(at: time) }
        }
        followed = requests.count
        return true
    }

    /// Moment at which the clip has its whole length, CLOCK_MONOTONIC nanoseconds; `nil` if it is open, before its start and
    /// while it is paused.
    var end: Int64? {
        guard let origin, let duration, !cuts.isPaused else { return nil }
        return origin + duration + cuts.removed(before: .max)
    }

    /// Pauses of the clip, in order.
    /// - Parameter moment: end of one that lasts, CLOCK_MONOTONIC nanoseconds.
    func pauses(until moment: Int64) -> [ClipPause] {
        let last = captureTime(of: moment) ?? 0
        return cuts.cuts.map { cut in
            ClipPause(
                atNanoseconds: cut.start - cuts.removed(before: cut.start),
                lengthNanoseconds: max(cut.end ?? last, cut.start) - cut.start)
        }
    }

    // MARK: From the leading microphone

    /// Takes over the rate of the leading microphone's clock.
    func follow(rateOffset: Double) { self.rateOffset = rateOffset }

    /// Stores the position of a period of the leading microphone.
    /// - Parameters:
    ///   - moment: its capture, CLOCK_MONOTONIC nanoseconds.
    ///   - time: its place in the clip, nanoseconds.
    func anchor(_ moment: Int64, at time: Int64) {
        let removed = captureTime(of: moment).map(cuts.removed) ?? 0
        lead = (moment, time + removed)
    }
}

/// Clock that the time of a clip follows.
///
/// No two crystals agree: a sound card that is 100 parts per million fast is a third of a second ahead of the camera after
/// an hour.
///
/// *thread-safe*
public enum SyncClock: String, Hashable, Sendable, Codable, CaseIterable {
    /// ``picture`` if there is a camera, ``sound`` if there are several microphones and no camera, otherwise ``none``.
    case automatic = "auto"
    /// Video keeps the camera's timestamps. Audio is resampled to stay with it once it would be more than 2 ms off, and is
    /// bit for bit the device's until then.
    case picture
    /// The first microphone's audio stays bit for bit the device's; video and other microphones follow its clock.
    case sound
    /// All tracks keep to CLOCK_MONOTONIC, audio without video too.
    case system = "clock"
    /// Audio stays bit for bit the device's and video keeps its timestamps: after a while they drift apart.
    case none

    /// Clock for a clip with these numbers of devices; never ``automatic``.
    func resolved(cameras: Int, microphones: Int) -> SyncClock {
        guard self == .automatic else { return self }
        if cameras > 0 { return .picture }
        return microphones > 1 ? .sound : .none
    }
}

/// Relation of a microphone to the clip's clock.
enum SyncRole {
    /// Its frames are counted, and that is its time.
    case free
    /// Its audio is resampled to the clip's clock.
    case follows
    /// Its clock is the clip's.
    case leads

    /// - Parameters:
    ///   - clock: not ``SyncClock/automatic``.
    ///   - isFirst: true for the first microphone of the recording.
    init(_ clock: SyncClock, isFirst: Bool) {
        switch clock {
        case .picture, .system: self = .follows
        case .sound: self = isFirst ? .leads : .follows
        case .none, .automatic: self = .free
        }
    }
}
