import CaptureEncoding
import CaptureGate

/// Limit of the time for which a camera may send broken frames alone; the series ends then.
struct BrokenFrameLimit {
    /// Limit, nanoseconds.
    private static let patience: Int64 = 3_000_000_000
    private var since: Int64?

    /// Notes a frame.
    /// - Parameters:
    ///   - isBroken: true for a broken frame.
    ///   - time: of the frame, ns on the camera's clock.
    ///   - device: name, for the error.
    /// - Throws: `.inputOutput`, once the limit is reached.
    mutating func note(_ isBroken: Bool, at time: Int64, of device: String) throws(CaptureError) {
        guard isBroken else {
            since = nil
            return
        }
        let since = since ?? time
        self.since = since
        guard time - since >= Self.patience else { return }
        throw CaptureError(
            .inputOutput, "\(device) sends only damaged frames.",
            remedies: [
                Remedy("Plug it in again, or choose another format.", .listDevices)
            ])
    }
}

/// Wait for a camera that has no signal, or is covered: no longer than for a settled exposure.
struct SignalWait {
    private let device: DeviceDescription
    /// Longest wait, nanoseconds.
    private let patience: Int64
    private var since: Int64?

    init(_ device: DeviceDescription, patience: Int64) {
        self.device = device
        self.patience = patience
    }

    /// Evaluates a frame.
    /// - Parameters:
    ///   - flags: flags of the frame.
    ///   - time: time of the frame, ns on the camera's clock.
    /// - Returns: true if it shows the scene.
    /// - Throws: `.unavailable`, once the wait is over.
    mutating func shows(_ flags: FrameFlags, at time: Int64) throws(CaptureError) -> Bool {
        guard flags.contains(.noSignal) || flags.contains(.covered) else {
            since = nil
            return true
        }
        let since = since ?? time
        self.since = since
        guard time - since >= patience else { return false }
        throw (flags.contains(.covered) ? SignalState.covered : .noSignal).error(device)
    }
}

/// Schedule of a series: which of a camera's frames are kept.
struct SnapshotSchedule {
    private let patience: Int64
    private let interval: Int64
    private var settling = ExposureSettling()
    private var first: Int64?
    private var next: Int64?
    /// True if the exposure of the first image had settled; the others are not checked.
    private var hasSettled = false

    /// - Parameters:
    ///   - patience: longest wait for a settled exposure, nanoseconds; 0 takes the first frame.
    ///   - interval: from one image to the next, nanoseconds; 0 takes each frame.
    init(patience: Int64, interval: Int64) {
        self.patience = patience
        self.interval = interval
    }

    enum Verdict: Equatable {
        case skip
        /// - Parameters:
        ///   - isSettled: true if the exposure had settled.
        ///   - waited: since the first frame, ns.
        case take(isSettled: Bool, waited: Int64)
    }

    /// - Parameters:
    ///   - time: of the frame, ns on the camera's clock.
    ///   - mean: its brightness, measured only while it matters; `nil` for a broken frame.
    mutating func judge(_ time: Int64, _ mean: () throws(CaptureError) -> Double?) throws(CaptureError) -> Verdict {
        let first = first ?? time
        self.first = first
        if let next { return time >= next ? .take(isSettled: hasSettled, waited: time - first) : .skip }
        guard patience > 0 else { return .take(isSettled: false, waited: 0) }
        guard let mean = try mean() else { return .skip }
        settling.add(mean)
        guard settling.isSettled || time - first >= patience else { return .skip }
        hasSettled = settling.isSettled
        return .take(isSettled: hasSettled, waited: time - first)
    }

    /// Notes that a frame was kept. The next is due on the grid of the first, so that delays do not add up.
    mutating func kept(_ time: Int64) {
        guard interval > 0 else {
            next = time
            return
        }
        let due = next ?? time
        next = due + max(1, (time - due) / interval + 1) * interval
    }
}

/// Sign that a camera has found its exposure: the mean brightness of five frames in a row is the same within 2 %.
struct ExposureSettling {
    private var means: [Double] = []

    private static let pictures = 5
    private static let tolerance = 0.02
    /// Smallest change that counts: in the dark, one step of 255 is more than 2 %.
    private static let step = 1.0 / 255

    var isSettled: Bool {
        guard means.count == Self.pictures, let low = means.min(), let high = means.max() else { return false }
        return high - low < max(Self.tolerance * high, Self.step)
    }

    /// Takes in a frame.
    /// - Parameter mean: of its brightness, 0…1.
    mutating func add(_ mean: Double) {
        means.append(mean)
        if means.count > Self.pictures { means.removeFirst() }
    }
}
