import CSystem
import CaptureGate

/// Who reads standard output, as a clip's writer sees it.
///
/// It has all the time it wants while something is captured. Once that is over, it has a few seconds for each byte that it
/// takes: a program must end although its reader does not read.
///
/// *thread-safe*
final class OutputReader: Sendable {
    /// Of a description of its own where that can be had, which then does not block; nobody else's is changed.
    let descriptor: Int32
    /// Bytes that can be written without waiting once a poll says so; `nil` where writing itself does not wait.
    let atOnce: Int?
    private let isOwn: Bool
    /// Nanoseconds.
    private let patience: Int64
    private let state = Locked(State())

    private struct State {
        var isOver: @Sendable () -> Bool = { false }
        /// Since when it has taken nothing, CLOCK_MONOTONIC nanoseconds, once the capture is over.
        var waitingSince: Int64?
        var hasGivenUp = false
    }

    /// - Parameters:
    ///   - stream: of the process.
    ///   - patience: for each byte, once the capture is over.
    init(of stream: Int32, patience: Duration = .seconds(5)) {
        self.patience = patience.nanoseconds
        let kind = Self.kind(of: stream)
        let own =
            kind == UInt32(CS_MODE_PIPE) ? cs_open("/proc/self/fd/\(stream)", O_WRONLY | O_NONBLOCK | O_NOCTTY, 0) : -1
        isOwn = own >= 0
        descriptor = own >= 0 ? own : stream
        let mayWait = kind == UInt32(CS_MODE_PIPE) || kind == UInt32(CS_MODE_SOCKET)
        // PIPE_BUF: what a pipe that polls writable takes as a whole (pipe(7)).
        atOnce = mayWait && own < 0 ? 4096 : nil
    }

    deinit { if isOwn { _ = cs_close(descriptor) } }

    private static func kind(of stream: Int32) -> UInt32 {
        var status = cs_file_status()
        return cs_fstat(stream, &status) < 0 ? 0 : status.mode & UInt32(CS_MODE_KIND)
    }

    /// - Parameter isOver: says on any thread whether the capture is over; asked about ten times a second while nothing is
    ///   read.
    func watch(_ isOver: @escaping @Sendable () -> Bool) { state.withLock { $0.isOver = isOver } }

    /// It has taken something.
    func took() { state.withLock { $0.waitingSince = nil } }

    /// Waits until it takes more.
    ///
    /// - Returns: false where it does not, and the capture is over.
    func waitForRoom() -> Bool {
        while true {
            if state.withLock({ $0.hasGivenUp }) { return false }
            var item = cs_poll_item(fd: descriptor, events: Int16(CS_POLL_OUT), revents: 0)
            // What is wrong with it, the write tells.
            if cs_poll(&item, 1, 100) != 0 { return true }
            look(at: cs_clock_ns(Int32(CS_CLOCK_MONOTONIC)))
        }
    }

    private func look(at now: Int64) {
        // Not under the lock: what it asks may take others.
        let isOver = state.withLock { $0.isOver }
        guard isOver() else { return }
        state.withLock { state in
            let since = state.waitingSince ?? now
            state.waitingSince = since
            state.hasGivenUp = state.hasGivenUp || now - since > patience
        }
    }

    /// Why it has got only a part.
    var error: CaptureError {
        CaptureError(
            .inputOutput,
            "Nobody reads standard output: it took nothing for \(patience / 1_000_000_000) s after the capture's end, and the "
                + "clip in it is cut off.", errno: EAGAIN,
            remedies: [Remedy("Have its reader go on reading, or record to a file.")])
    }
}

extension CaptureError {
    /// Frames of its last seconds are lost, and nobody knows which.
    static let slowReader = CaptureError(
        .inputOutput, "Who reads standard output was too slow: the clip's end is missing.",
        remedies: [Remedy("Read faster, or record to a file.")])
}
