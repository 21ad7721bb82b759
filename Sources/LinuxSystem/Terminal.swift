import CSystem

/// A terminal with a person at it: never standard input, which may come from anywhere.
///
/// Every wait ends at a deadline, or when a descriptor signals cancellation. A program in the background checks
/// ``isForeground`` first: reading would stop it. The mode is restored when the value ends.
///
/// *session-bound*: one thread at a time. The corresponding C functions are those of termios(3).
package struct Terminal: ~Copyable, Sendable {
    /// Treatment of keys.
    package enum Input: Sendable {
        /// Lines as edited by the terminal; its mode is not changed.
        case lines
        /// Each key at once and without echo. Ctrl-C is an ordinary key instead of a signal to the process.
        case keys
        /// The same, but Ctrl-C is still a signal. Earlier input is dropped.
        case answers
    }

    /// Reason for which no more input comes.
    package enum Interruption: Error, Hashable, Sendable {
        /// The wait was cancelled, or the person is gone.
        case withdrawn
        /// The deadline has come.
        case timedOut
        /// A call failed; the verb that completes "The terminal can't be …".
        case failed(String, Errno)
    }

    /// The controlling terminal of the process.
    package static let controlling = "/dev/tty"

    private let file: FileDescriptor
    private let cancel: Int32
    private let deadline: Deadline
    /// Mode to restore; `nil` if it was not changed.
    private let mode: cs_terminal_mode?
    private let input: Input

    /// Opens it without blocking: a terminal stopped by Ctrl-S delays a write, but never the deadline.
    ///
    /// - Parameters:
    ///   - path: path of the terminal.
    ///   - input: treatment of keys.
    ///   - cancel: a descriptor that becomes readable on cancellation; -1 for none.
    ///   - deadline: end of every wait.
    /// - Throws: `.failed`, also if it is no terminal and its mode is to be changed.
    package init(
        opening path: String = controlling, _ input: Input = .lines, cancel: Int32 = -1,
        until deadline: Deadline = .never
    ) throws(Interruption) {
        let opened = try Self.open(path)
        mode = try Self.change(opened, to: input)
        file = opened
        self.cancel = cancel
        self.deadline = deadline
        self.input = input
    }

    deinit {
        guard var mode else { return }
        // Keys typed meanwhile were meant for nobody.
        _ =
            input == .answers
            ? cs_terminal_set_mode(file.number, &mode, 1) : cs_terminal_set_mode_now(file.number, &mode)
    }

    private static func open(_ path: String) throws(Interruption) -> FileDescriptor {
        do throws(Errno) {
            return try FileDescriptor(opening: path, [.readWrite, .noControllingTerminal, .nonBlocking])
        } catch {
            throw .failed("opened", error)
        }
    }

    /// - Returns: the previous mode, if it was changed.
    private static func change(_ file: borrowing FileDescriptor, to input: Input) throws(Interruption)
        -> cs_terminal_mode?
    {
        guard input != .lines else { return nil }
        var mode = cs_terminal_mode()
        do throws(Errno) {
            try checked(cs_terminal_read_mode(file.number, &mode))
            let old = mode
            cs_terminal_make_noncanonical(&mode, 0, input == .answers ? 1 : 0)
            if input == .answers {
                try checked(cs_terminal_set_mode(file.number, &mode, 1))
            } else {
                // Does not wait for output, which a stopped terminal may hold for ever.
                _ = cs_terminal_set_mode_now(file.number, &mode)
            }
            return old
        } catch {
            throw .failed("read", error)
        }
    }

    /// True while this process is in the terminal's foreground group. The corresponding C function is `tcgetpgrp`.
    package var isForeground: Bool { cs_terminal_is_foreground(file.number) == 1 }

    /// Drops input that was typed and not yet read. The corresponding C function is `tcflush`.
    package func dropInput() { _ = cs_terminal_flush_input(file.number) }

    /// Waits, then drops the input so far: it was not meant for what has just been shown.
    package func settle(for duration: Duration) throws(Interruption) {
        _ = try wait(for: [], until: Deadline(after: duration))
        dropInput()
    }

    /// Writes all of a text.
    package func write(_ text: String) throws(Interruption) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            guard try !wait(for: .output, until: deadline).isEmpty else { throw .timedOut }
            do throws(Errno) {
                let count = try file.write(Array(bytes))
                guard count > 0 else { throw .ioError }
                bytes = bytes.dropFirst(count)
            } catch {
                if error != .wouldBlock { throw .failed("written to", error) }
            }
        }
    }

    /// Writes as much as fits without waiting: for use after the question.
    package func note(_ text: String) { _ = try? file.write(Array(text.utf8)) }

    /// Waits for input without reading it: a program in the background would be stopped by a read.
    ///
    /// - Returns: false at the deadline.
    /// - Throws: `.withdrawn` also if the person is gone.
    package func hasInput(until end: Deadline) throws(Interruption) -> Bool {
        let found = try wait(for: .input, until: end)
        if !found.isDisjoint(with: .trouble), !found.contains(.input) { throw .withdrawn }
        return !found.isEmpty
    }

    /// Reads the available input, once there is some.
    ///
    /// - Parameters:
    ///   - limit: maximum number of bytes.
    ///   - end: end of the wait, if before the terminal's own deadline.
    /// - Returns: `nil` at the deadline.
    /// - Throws: `.withdrawn` also if the person is gone.
    package func read(upTo limit: Int, until end: Deadline = .never) throws(Interruption) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit)
        while try !wait(for: .input, until: end).isEmpty {
            do throws(Errno) {
                let count = try file.read(into: &bytes)
                if count > 0 { return Array(bytes.prefix(count)) }
            } catch {
                if error == .wouldBlock { continue }
                throw .failed("read", error)
            }
            throw .withdrawn
        }
        return nil
    }

    /// - Returns: those of `events` that the terminal is ready for; none at the deadline.
    /// - Throws: `.withdrawn` on cancellation.
    private func wait(for events: PollEvents, until end: Deadline) throws(Interruption) -> PollEvents {
        // Even without requested events, a terminal that is gone would wake the poll.
        var items = [PollItem(cancel), PollItem(events.isEmpty ? -1 : file.number, events)]
        do throws(Errno) {
            try Poll.wait(for: &items, until: end.earlier(of: deadline))
        } catch {
            throw .failed("read", error)
        }
        if items[0].isReady { throw .withdrawn }
        return items[1].found
    }
}

// Line editing for `.keys`, which replaces the terminal's own.
extension Terminal {
    /// Reads one word, and shows it while it is typed.
    ///
    /// - Throws: `.withdrawn` also at Ctrl-C, Ctrl-D and Escape, which mean "not now".
    package func readWord() throws(Interruption) -> String {
        var word: [UInt8] = []
        while true {
            switch try readKey() {
            case 0x0A, 0x0D:
                try write("\n")
                return String(decoding: word, as: UTF8.self)
            case 0x03, 0x04: throw .withdrawn
            case 0x1B: try swallowSequence()
            case 0x08, 0x7F:
                guard word.popLast() != nil else { break }
                try write(Self.rubOut)
            case 0x15, 0x17:  // Ctrl-U and Ctrl-W: an answer is one word.
                try write(String(repeating: Self.rubOut, count: word.count))
                word = []
            case let key where (0x21...0x7E).contains(key) && word.count < 32:
                word.append(key)
                try write(String(UnicodeScalar(key)))
            default: break
            }
        }
    }

    private static let rubOut = "\u{8} \u{8}"

    private func readKey() throws(Interruption) -> UInt8 {
        guard let key = try read(upTo: 1)?.first else { throw .timedOut }
        return key
    }

    /// Skips an escape sequence. The Escape key is a single byte; arrows and terminals send sequences that begin with it.
    private func swallowSequence() throws(Interruption) {
        let soon = Duration.milliseconds(50)
        guard let kind = try read(upTo: 1, until: Deadline(after: soon))?.first,
            kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O")
        else { throw .withdrawn }
        while let byte = try read(upTo: 1, until: Deadline(after: soon))?.first {
            if (0x40...0x7E).contains(byte) { return }
        }
    }
}

/// The size of a terminal; 0 for unknown values.
package struct TerminalSize: Hashable, Sendable {
    /// Characters.
    package let rows: Int
    package let columns: Int
    /// Pixels of all columns and rows together.
    package let width: Int
    package let height: Int

    package init(rows: Int, columns: Int, width: Int = 0, height: Int = 0) {
        self.rows = rows
        self.columns = columns
        self.width = width
        self.height = height
    }

    /// Size of a descriptor's terminal; all zeros if it is not a terminal. The corresponding C function is `ioctl` with
    /// TIOCGWINSZ.
    package init(of descriptor: RawDescriptor) {
        var size = cs_terminal_size()
        _ = cs_terminal_size(descriptor.number, &size)
        self.init(
            rows: Int(size.rows), columns: Int(size.columns), width: Int(size.width), height: Int(size.height))
    }
}

extension RawDescriptor {
    /// True for a terminal. The corresponding C function is `isatty`.
    package var isTerminal: Bool { cs_isatty(number) == 1 }
}
