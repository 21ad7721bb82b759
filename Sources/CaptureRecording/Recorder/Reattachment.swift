import CaptureEncoding
import CaptureGate
import LinuxSystem

/// Return of devices that were unplugged in the middle of a clip: how long each is waited for, and when it is looked for.
///
/// *session-bound*
final class Reattachment {
    /// Result of a search for a device whose capture has ended.
    enum Outcome {
        /// It is away, and waited for.
        case away
        /// It is open again.
        case back
        /// The clip's end came before the device was back.
        case missed
        /// It is not waited for, or no longer.
        case over(SessionEnd)
    }

    /// Course of one device's absences. Moments are CLOCK_MONOTONIC nanoseconds.
    private struct Absent {
        /// Moment from which it is away; `nil` while it is there.
        var since: Int64?
        /// Moment of the next search.
        var nextLook: Int64 = 0
        /// Length of its track when it came back.
        var reached: Int64?
        /// Moment from which it is back as another device.
        var otherwise: Int64?
    }

    /// Time for which a device is waited for, nanoseconds; `nil` if none is.
    private let patience: Int64?
    private let clip: ClipClock
    /// Absent devices by track index in the clip.
    private var absences: [Int: Absent] = [:]
    /// Time for which a device that is back may be another: its firmware is not loaded yet, nanoseconds.
    private static let otherwisePatience: Int64 = 1_000_000_000
    /// Time between two searches, each of which scans all devices, nanoseconds.
    private static let interval: Int64 = 200_000_000

    init(patience: Duration?, clip: ClipClock) {
        self.clip = clip
        self.patience = patience?.nanoseconds
    }

    /// True while a track's device is waited for.
    func isAway(_ track: any TrackRecorder) -> Bool { absences[track.index]?.since != nil }

    /// True while nothing has come from a track's device since it was unplugged.
    func isBehind(_ track: any TrackRecorder) -> Bool {
        isAway(track) || absences[track.index]?.reached == track.elapsed
    }

    /// Searches for a track's device, if that is due, and opens it if it is back.
    /// - Parameters:
    ///   - track: track whose device's capture has ended.
    ///   - end: end of that capture.
    func look(at track: any TrackRecorder, _ end: SessionEnd) -> Outcome {
        guard Self.mayReturn(end), let patience else { return .over(end) }
        let now = SystemClock.monotonic.now
        let begin = absences[track.index]?.since ?? now
        absences[track.index, default: Absent()].since = begin
        if let clipEnd, clipEnd <= begin + patience, now > clipEnd { return .missed }
        if now > begin + patience { return .over(end) }
        guard now >= absences[track.index]?.nextLook ?? 0 else { return .away }
        return attach(track, end)
    }

    /// True for ends after which a device may return.
    static func mayReturn(_ end: SessionEnd) -> Bool {
        switch end {
        case .deviceGone, .signalChanged: true
        default: false
        }
    }

    private func isGone(_ end: SessionEnd) -> Bool {
        if case .deviceGone = end { true } else { false }
    }

    /// Moment at which the clip has its full length; `nil` if that is open.
    private var clipEnd: Int64? {
        guard let origin = clip.origin, let duration = clip.duration else { return nil }
        return origin + duration
    }

    /// Opens a device again. One that is just back may refuse for a moment: udev has not set its permissions yet. A refusal of
    /// the gate is final.
    private func attach(_ track: any TrackRecorder, _ end: SessionEnd) -> Outcome {
        do throws(CaptureError) {
            guard try track.source.reattach() else { return .away }
            absences[track.index] = Absent(reached: track.elapsed)
            // Devices that are plugged in with it, such as a camera's microphone, are back as well.
            for index in absences.keys { absences[index]?.nextLook = 0 }
            return .back
        } catch {
            return outcome(of: error, track.index, end)
        }
    }

    private func outcome(of error: CaptureError, _ index: Int, _ end: SessionEnd) -> Outcome {
        let now = SystemClock.monotonic.now
        absences[index, default: Absent()].nextLook = now + Self.interval
        switch error.kind {
        // Another signal stays another; the error that ended the capture names both.
        case .notAsAsked where !isGone(end): return .over(end)
        case .revoked, .expired: return .over(.refused(error))
        // Each further search would leave another thread hanging.
        case .stalled: return .over(.stalled(error))
        case .notAsAsked:
            let begun = absences[index]?.otherwise ?? now
            absences[index]?.otherwise = begun
            return now >= begun + Self.otherwisePatience ? .over(.deviceGone(error)) : .away
        default: return .away
        }
    }
}
