import CSystem
import Gate

/// A terminal that is read a line at a time, with its own editing: the terminal's would give Ctrl-C to the process as a
/// signal, and here it means only "not now". Its mode is put back when the value ends.
struct TerminalLine: ~Copyable {
    /// Why there is no line.
    enum Interruption: Error {
        case turnedAway
        case timedOut
        case failed(CaptureError)
    }

    private let terminal: Int32
    private let cancel: Int32
    private let deadline: Deadline
    private let mode: cs_terminal_mode

    /// - Parameter cancel: a descriptor that turns readable when the question is withdrawn.
    init(opening path: String, cancel: Int32, deadline: Deadline) throws(Interruption) {
        // Not blocking: a terminal that is stopped, as by Ctrl-S, holds up a write, but never the deadline.
        let opened = cs_open(path, O_RDWR | O_NOCTTY | O_NONBLOCK, 0)
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
        self.deadline = deadline
        cs_terminal_make_noncanonical(&mode, 0, 0)
        cs_terminal_set_mode_now(opened, &mode)
    }

    deinit {
        var old = mode
        cs_terminal_set_mode_now(terminal, &old)
        cs_close(terminal)
    }

    /// Waits, then throws away what was typed so far: nobody meant it for what has just been shown.
    func settle(for duration: Duration) throws(Interruption) {
        let end = Deadline(after: duration).earlier(of: deadline)
        _ = try wait(for: 0, until: end)
        cs_terminal_flush_input(terminal)
    }

    func write(_ text: String) throws(Interruption) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            guard try wait(for: Int32(CS_POLL_OUT), until: deadline) != 0 else { throw .timedOut }
            let written = bytes.withUnsafeBytes { cs_write(terminal, $0.baseAddress, $0.count) }
            if written == -Int64(EAGAIN) { continue }
            guard written > 0 else { throw Self.failure("written to", Int32(-written)) }
            bytes = bytes.dropFirst(Int(written))
        }
    }

    /// Writes what fits without waiting: the question is over.
    func note(_ text: String) {
        let bytes = Array(text.utf8)
        _ = cs_write(terminal, bytes, bytes.count)
    }

    func readLine() throws(Interruption) -> String {
        var line: [UInt8] = []
        while true {
            guard let byte = try readByte(until: deadline) else { throw .timedOut }
            switch byte {
            case 0x0A, 0x0D:
                try write("\n")
                return String(decoding: line, as: UTF8.self)
            case 0x03, 0x04: throw .turnedAway
            case 0x1B: try swallowSequence()
            case 0x08, 0x7F:
                guard line.popLast() != nil else { break }
                try write(Self.rubOut)
            case 0x15, 0x17:  // Ctrl-U and Ctrl-W: an answer is one word.
                try write(String(repeating: Self.rubOut, count: line.count))
                line = []
            case 0x21...0x7E where line.count < 32:
                line.append(byte)
                try write(String(UnicodeScalar(byte)))
            default: break
            }
        }
    }

    private static let rubOut = "\u{8} \u{8}"

    /// The Escape key is a byte alone; what arrows and terminals send begins with the same one, and means nothing here.
    private func swallowSequence() throws(Interruption) {
        let soon = Duration.milliseconds(50)
        guard let kind = try readByte(until: Deadline(after: soon).earlier(of: deadline)),
            kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O")
        else { throw .turnedAway }
        while let byte = try readByte(until: Deadline(after: soon).earlier(of: deadline)) {
            if (0x40...0x7E).contains(byte) { return }
        }
    }

    /// - Returns: `nil` when the time has come.
    private func readByte(until end: Deadline) throws(Interruption) -> UInt8? {
        while try wait(for: Int32(CS_POLL_IN), until: end) != 0 {
            var byte: UInt8 = 0
            let got = cs_read(terminal, &byte, 1)
            if got == 1 { return byte }
            // No byte: whoever sat there has gone.
            if got == 0 { throw .turnedAway }
            if got != -Int64(EAGAIN) { throw Self.failure("read", Int32(-got)) }
        }
        return nil
    }

    /// - Returns: what of `events` the terminal is ready for; 0 when the time has come.
    /// - Throws: `.turnedAway` where the question is withdrawn.
    private func wait(for events: Int32, until end: Deadline) throws(Interruption) -> Int16 {
        var items = [
            cs_poll_item(fd: cancel, events: Int16(CS_POLL_IN), revents: 0),
            // Without an event asked for, a terminal that is gone would wake it all the same.
            cs_poll_item(fd: events == 0 ? -1 : terminal, events: Int16(events), revents: 0),
        ]
        let ready = cs_poll_until(&items, items.count, end.nanoseconds)
        if ready < 0 { throw Self.failure("read", -ready) }
        if items[0].revents != 0 { throw .turnedAway }
        return items[1].revents
    }

    private static func failure(_ verb: String, _ errno: Int32) -> Interruption {
        .failed(
            CaptureError(.unavailable, "The terminal can't be \(verb): \(SystemText.error(errno)).", errno: errno))
    }
}
