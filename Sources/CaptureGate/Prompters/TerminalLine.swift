import CSystem
import Gate

/// A terminal that is read a line at a time, with its own editing: the terminal's would give Ctrl-C to the process as a
/// signal, and here it means only "not now".
struct TerminalLine: ~Copyable {
    private let terminal: Int32
    private let cancel: Int32
    private let end: Int64
    private let mode: cs_terminal_mode

    init(opening path: String, cancel: Int32, deadline: Duration) throws(CaptureError) {
        let opened = cs_open(path, 2, 0)
        guard opened >= 0 else { throw Self.failure("opened", -opened) }
        var mode = cs_terminal_mode()
        let outcome = cs_terminal_read_mode(opened, &mode)
        guard outcome >= 0 else {
            cs_close(opened)
            throw Self.failure("read", -outcome)
        }
        terminal = opened
        self.mode = mode
        self.cancel = cancel
        let (seconds, attoseconds) = deadline.components
        end = cs_clock_ns(Int32(CS_CLOCK_MONOTONIC)) + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        cs_terminal_make_noncanonical(&mode, 0, 0)
        // The flush throws away what was typed before the question could be read.
        cs_terminal_set_mode(opened, &mode, 1)
    }

    deinit {
        var old = mode
        cs_terminal_set_mode(terminal, &old, 0)
        cs_close(terminal)
    }

    /// Shows the question and reads lines until one means something.
    func answer(to text: QuestionText) throws(CaptureError) -> Answer {
        try write(text.lines.joined(separator: "\n") + "\n")
        while true {
            try write(text.promptLine)
            switch try readLine() {
            case .line(let line):
                if let answer = text.answer(to: line) { return try close(answer) }
                try write("Please answer with one of the letters in brackets.\n")
            case .turnedAway: return try close(.dismissed)
            case .timedOut: return try close(.timedOut)
            }
        }
    }

    private func close(_ answer: Answer) throws(CaptureError) -> Answer {
        switch answer {
        case .dismissed: try write("Not decided; nothing is stored.\n")
        case .timedOut: try write("\nNo answer in time; nothing is stored.\n")
        default: break
        }
        return answer
    }

    private enum Input {
        case line(String)
        case turnedAway
        case timedOut
    }

    private func readLine() throws(CaptureError) -> Input {
        var line: [UInt8] = []
        while true {
            guard let byte = try readByte() else { return .timedOut }
            switch byte {
            case 0x0A, 0x0D:
                try write("\n")
                return .line(String(decoding: line, as: UTF8.self))
            case 0x03, 0x04, 0x1B:
                try write("\n")
                return .turnedAway
            case 0x08,
                0x7F where !line.isEmpty:
                line.removeLast()
                try write("\u{8} \u{8}")
            case 0x21...0x7E where line.count < 32:
                line.append(byte)
                try write(String(UnicodeScalar(byte)))
            default: break
            }
        }
    }

    /// - Returns: `nil` when the deadline passed; Ctrl-C when the question was cancelled or the terminal is gone.
    private func readByte() throws(CaptureError) -> UInt8? {
        var items = (
            cs_poll_item(fd: terminal, events: Int16(CS_POLL_IN), revents: 0),
            cs_poll_item(fd: cancel, events: Int16(CS_POLL_IN), revents: 0)
        )
        let left = (end - cs_clock_ns(Int32(CS_CLOCK_MONOTONIC))) / 1_000_000
        guard left > 0 else { return nil }
        let ready = withUnsafeMutablePointer(to: &items) { pointer in
            pointer.withMemoryRebound(to: cs_poll_item.self, capacity: 2) { cs_poll($0, 2, Int32(clamping: left)) }
        }
        if ready < 0 { throw Self.failure("read", -ready) }
        if ready == 0 { return nil }
        if items.1.revents != 0 { return 0x03 }
        var byte: UInt8 = 0
        let got = cs_read(terminal, &byte, 1)
        if got < 0 { throw Self.failure("read", Int32(-got)) }
        return got == 1 ? byte : 0x03
    }

    private func write(_ text: String) throws(CaptureError) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { cs_write(terminal, $0.baseAddress, $0.count) }
            guard written > 0 else { throw Self.failure("written to", Int32(-written)) }
            bytes = bytes.dropFirst(Int(written))
        }
    }

    private static func failure(_ verb: String, _ errno: Int32) -> CaptureError {
        CaptureError(
            .unavailable, "The terminal can't be \(verb): \(SystemText.error(errno)).", errno: errno)
    }
}
