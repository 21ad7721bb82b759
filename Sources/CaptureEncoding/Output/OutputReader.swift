import CaptureBase
import LinuxSystem

/// The reader of standard output, as a clip's writer sees it.
///
/// It has all the time it wants while something is captured. Once that is over, it has a few seconds for each byte that it
/// takes: a program must end although its reader does not read.
///
/// *thread-safe*
package final class OutputReader: Sendable {
    /// A descriptor with an open file description of its own where that can be had, which then does not block; nobody else's
    /// is changed.
    package let descriptor: RawDescriptor
    /// Bytes that can be written without waiting once a poll says so; `nil` where writing itself does not wait.
    package let atOnce: Int?
    /// True where the descriptor is this object's to close.
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
    package init(of stream: RawDescriptor, patience: Duration = .seconds(5)) {
        self.patience = patience.nanoseconds
        let kind = try? FileStatus.of(stream).get().kind
        let flags: OpenFlags = [.writeOnly, .nonBlocking, .noControllingTerminal]
        let own = kind == .pipe ? try? RawDescriptor(opening: "/proc/self/fd/\(stream.number)", flags) : nil
        isOwn = own != nil
        descriptor = own ?? stream
        let mayWait = kind == .pipe || kind == .socket
        // PIPE_BUF: what a pipe that polls writable takes as a whole (pipe(7)).
        atOnce = mayWait && own == nil ? 4096 : nil
    }

    deinit { if isOwn { descriptor.close() } }

    /// - Parameter isOver: says on any thread whether the capture is over; asked about ten times a second while nothing is
    ///   read.
    package func watch(_ isOver: @escaping @Sendable () -> Bool) { state.withLock { $0.isOver = isOver } }

    /// It has taken something.
    package func took() { state.withLock { $0.waitingSince = nil } }

    /// Waits until it takes more.
    ///
    /// - Returns: false where it does not, and the capture is over.
    package func waitForRoom() -> Bool {
        while true {
            if state.withLock({ $0.hasGivenUp }) { return false }
            // What is wrong with it, the write tells.
            if !Poll.wait(for: descriptor.number, .output, milliseconds: 100).isEmpty { return true }
            look(at: SystemClock.monotonic.now)
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
    package var error: CaptureError {
        CaptureError(
            .inputOutput,
            "Nobody reads standard output: it took nothing for \(patience / 1_000_000_000) s after the capture's end, and the "
                + "clip in it is cut off.", errno: Errno.wouldBlock.number,
            remedies: [Remedy("Have its reader go on reading, or record to a file.")])
    }
}

extension CaptureError {
    /// Frames of its last seconds are lost, and nobody knows which.
    package static let slowReader = CaptureError(
        .inputOutput, "Who reads standard output was too slow: the clip's end is missing.",
        remedies: [Remedy("Read faster, or record to a file.")])
}
