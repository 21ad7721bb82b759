import CSystem
import CaptureGate

/// A moment of the wall clock at which a recording begins.
///
/// *thread-safe*
public struct StartMoment: Hashable, Sendable {
    /// Since 1970.
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// How long before it the devices are to be opened, so that all of them deliver in time.
    public static let head = Duration.seconds(3)

    /// Returns when it is time to open the devices: `head` and the pre-roll before it.
    ///
    /// - Throws: `.dismissed` where the recording was stopped meanwhile.
    public func wait(preRoll: Duration? = nil, control: RecordingControl) async throws(CaptureError) {
        let opening = nanoseconds - Self.head.nanoseconds - (preRoll?.nanoseconds ?? 0)
        while true {
            if control.requested != nil || Task.isCancelled { throw .stoppedBeforeStart }
            // The wall clock may be set meanwhile.
            let left = opening - cs_clock_ns(Int32(CS_CLOCK_REALTIME))
            if left <= 0 { return }
            try? await Task.sleep(for: .nanoseconds(min(left, 200_000_000)))
        }
    }
}

extension CaptureError {
    static var stoppedBeforeStart: CaptureError {
        CaptureError(.dismissed, "It was stopped before the clip began; no file was made.")
    }
}
