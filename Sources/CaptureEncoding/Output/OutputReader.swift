import CaptureBase
import LinuxSystem

/// The reader of standard output or of another pipe, as a clip's writer sees it.
///
/// It may take any time during the capture. After that, it has a few seconds for each byte: a program must end even if its
/// reader does not read.
///
/// *thread-safe*
package final class OutputReader: Sendable {
    /// A descriptor with its own open file description if possible, which then does not block; a shared one keeps its flags.
    package let descriptor: RawDescriptor
    /// Bytes that can be written without waiting once a poll succeeds; `nil` if a write itself never waits.
    package let atOnce: Int?
    /// True if this object must close the descriptor.
    private let isOwn: Bool
    /// Longest wait for each byte after the capture, in nanoseconds.
    private let patience: Int64
    /// The pipe, for people.
    private let name: String
    /// CLOCK_MONOTONIC in ns; a test passes its own time.
    private let now: @Sendable () -> Int64
    private let state = Locked(State())

    private struct State {
        var isOver: @Sendable () -> Bool = { false }
        /// Start of the present wait after the capture, CLOCK_MONOTONIC in ns.
        var waitingSince: Int64?
        var hasGivenUp = false
    }

    /// - Parameters:
    ///   - stream: standard stream of the process.
    ///   - patience: longest wait for each byte after the capture.
    ///   - now: clock of that wait, in ns.
    package convenience init(
        of stream: RawDescriptor, patience: Duration = .seconds(5),
        now: @escaping @Sendable () -> Int64 = { SystemClock.monotonic.now }
    ) {
        self.init(stream, closes: false, named: "standard output", patience, now)
    }

    /// Opens a pipe by its path; waits until somebody has opened it to read.
    ///
    /// - Throws: `.inputOutput` if it can't be opened, or is another user's. The corresponding C function is `open`.
    package convenience init(opening path: String) throws(CaptureError) {
        let opened: RawDescriptor
        do throws(Errno) {
            opened = try RawDescriptor(opening: path, [.writeOnly, .noControllingTerminal])
        } catch {
            throw .output(error, "open", path)
        }
        // By now the path may lead to another one.
        let isOurs = (try? FileStatus.of(opened).get()).map(ClipOutput.isPipe) ?? false
        guard isOurs || ClipOutput.descriptor(ofLink: path) != nil else {
            opened.close()
            throw .output(.notPermitted, "open", path)
        }
        self.init(opened, closes: true, named: path, .seconds(5)) { SystemClock.monotonic.now }
    }

    /// - Parameter closes: true for a descriptor that nobody else closes.
    private init(
        _ stream: RawDescriptor, closes: Bool, named name: String, _ patience: Duration,
        _ now: @escaping @Sendable () -> Int64
    ) {
        self.patience = patience.nanoseconds
        self.name = name
        self.now = now
        let kind = try? FileStatus.of(stream).get().kind
        let flags: OpenFlags = [.writeOnly, .nonBlocking, .noControllingTerminal]
        let own = kind == .pipe ? try? RawDescriptor(opening: "/proc/self/fd/\(stream.number)", flags) : nil
        if own != nil, closes { stream.close() }
        isOwn = own != nil || closes
        descriptor = own ?? stream
        let mayWait = kind == .pipe || kind == .socket
        // PIPE_BUF: bytes that a writable pipe takes as a whole (pipe(7)).
        atOnce = mayWait && own == nil ? 4096 : nil
    }

    deinit { if isOwn { descriptor.close() } }

    /// - Parameter isOver: tells on any thread that the capture is over; called about ten times a second while nothing is read.
    package func watch(_ isOver: @escaping @Sendable () -> Bool) { state.withLock { $0.isOver = isOver } }

    /// Records that the reader has taken some bytes.
    package func took() { state.withLock { $0.waitingSince = nil } }

    /// Waits until the reader takes more.
    ///
    /// - Returns: false if it does not, and the capture is over.
    package func waitForRoom() -> Bool {
        while true {
            if state.withLock({ $0.hasGivenUp }) { return false }
            // The write reports any trouble.
            if !Poll.wait(for: descriptor.number, .output, milliseconds: 100).isEmpty { return true }
            look(at: now())
        }
    }

    private func look(at now: Int64) {
        // Not under the lock: the closure may take other locks.
        let isOver = state.withLock { $0.isOver }
        guard isOver() else { return }
        state.withLock { state in
            let since = state.waitingSince ?? now
            state.waitingSince = since
            state.hasGivenUp = state.hasGivenUp || now - since > patience
        }
    }

    /// Error of a reader that got only a part.
    package var error: CaptureError {
        CaptureError(
            .inputOutput,
            "Nothing has read \(name) for \(patience / 1_000_000_000) s since the capture ended, so the "
                + "clip is incomplete.", errno: Errno.wouldBlock.number,
            remedies: [Remedy("Make its reader continue, or record to a file.")])
    }
}

extension CaptureError {
    /// "Error" of an output whose reader has closed it, as `head` does: no more is wanted.
    ///
    /// It never reaches a user: the clip that ends with it is well.
    package static func readerGone(_ destination: ClipDestination) -> CaptureError {
        CaptureError(.inputOutput, "The reader of \(destination) closed it.", errno: Errno.brokenPipe.number)
    }

    /// True of an output whose reader has closed it.
    package var isOfGoneReader: Bool { kind == .inputOutput && errno == Errno.brokenPipe.number }

    /// True if an output ended as intended: at its maximum size, or when its reader closed the pipe.
    package var isNormalEnd: Bool { self == .sizeReached || isOfGoneReader }

    /// Error of a reader that fell behind: frames of its last seconds are lost, and it is unknown which.
    package static let slowReader = CaptureError(
        .inputOutput, "The reader of standard output was too slow, so the end of the clip is missing.",
        remedies: [Remedy("Use a faster reader, or record to a file.")])
}
