import CaptureGate
import Glibc
import LinuxSystem
import Synchronization

/// A broker in a separate process, which ends with this value. Tests block threads, and the broker must not run out of them.
final class BrokerProcess: Sendable {
    struct Failure: Error {
        let words: String
    }

    private let output: Mutex<PipeReader>
    private let process: Int32

    /// - Parameter folder: directory of its socket, `broker`, and of its state. This program may be its agent.
    init(in folder: String) throws {
        guard let own = ProcessFile.link("/proc/self/exe") else { throw Failure(words: "/proc does not tell") }
        let program = own[...(own.lastIndex(of: "/") ?? own.startIndex)] + "BrokerProbe"
        let reader = try PipeReader(ShellQuote.command([String(program), folder, own]))
        let words = reader.line()
        output = Mutex(reader)
        guard let last = words.split(whereSeparator: \.isWhitespace).last, let process = Int32(last) else {
            throw Failure(words: words)
        }
        self.process = process
    }

    /// Ends it with SIGKILL.
    ///
    /// - Returns: CLOCK_MONOTONIC in ns, right before.
    func kill() -> Int64 {
        let now = SystemClock.monotonic.now
        _ = Glibc.kill(process, SIGKILL)
        return now
    }
}

/// Output of a program that a shell runs.
struct PipeReader: ~Copyable, @unchecked Sendable {
    private let stream: OpaquePointer

    init(_ command: String) throws {
        guard let stream = popen("exec \(command)", "re") else { throw BrokerProcess.Failure(words: "popen") }
        self.stream = OpaquePointer(stream)
    }

    func line() -> String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard fgets(&bytes, 256, UnsafeMutablePointer(stream)) != nil else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Closes the pipe, which ends the program, and waits for it.
    deinit { pclose(UnsafeMutablePointer(stream)) }
}
