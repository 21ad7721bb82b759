import CaptureRecording
import Dispatch
import LinuxSystem
import Synchronization

/// Keys of a recording at a terminal: Enter begins a clip that waits in its pre-roll, q ends it, space pauses and resumes, m sets a
/// chapter.
struct RecordingKeys: Sendable {
    /// True if an output stores chapters.
    let hasChapters: Bool

    /// Words about the keys, for the line at the start.
    var legend: String { hasChapters ? "q stops, space pauses, m adds a chapter." : "q stops, space pauses." }

    /// Performs the action of a key; ignores other keys.
    func act(on key: UInt8, _ control: RecordingControl) {
        switch key {
        case 0x0A, 0x0D: control.begin()
        case UInt8(ascii: "q"), UInt8(ascii: "Q"): control.stop()
        case UInt8(ascii: " "): control.togglePause()
        case UInt8(ascii: "m"), UInt8(ascii: "M"): if hasChapters { control.markChapter() }
        default: break
        }
    }
}

/// Listener for keys at the terminal, each as it is pressed and without echo. Never on standard input, which any program may feed.
///
/// The terminal is left as it was when the listener ends. A process in the background may not read, and waits until it is in the
/// foreground.
final class KeyListener: Sendable {
    /// True once the listener must stop.
    private let isOver = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Interval of checking whether to stop.
    private static let interval = Duration.milliseconds(100)

    /// Starts to listen; does nothing without a terminal.
    ///
    /// - Parameter action: called for each key, on a separate thread.
    init(_ action: @escaping @Sendable (UInt8) -> Void) {
        // A separate thread, since it waits for the whole recording.
        DispatchQueue(label: "capturegate.keys").async { [self] in
            while !isOver.load(ordering: .acquiring) {
                // The terminal is gone, or never existed.
                guard let terminal = try? Terminal() else { break }
                guard terminal.isForeground else {
                    Poll.pause(milliseconds: 100)
                    continue
                }
                guard (try? listen(action)) != nil else { break }
            }
            ended.signal()
        }
    }

    /// Stops listening, and waits until the terminal is as it was.
    func end() {
        isOver.store(true, ordering: .releasing)
        // A terminal that is stopped by Ctrl-S must not keep the program from ending.
        if ended.wait(timeout: .now() + .seconds(1)) == .success { ended.signal() }
    }

    /// Listens until it is over, or another process is in the foreground.
    private func listen(_ action: (UInt8) -> Void) throws(Terminal.Interruption) {
        let terminal = try Terminal(.answers)
        while !isOver.load(ordering: .acquiring), terminal.isForeground {
            guard try terminal.hasInput(until: Deadline(after: Self.interval)), terminal.isForeground else { continue }
            for key in try terminal.read(upTo: 16, until: .now) ?? [] { action(key) }
        }
    }
}
