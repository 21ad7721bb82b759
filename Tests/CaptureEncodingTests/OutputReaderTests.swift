import CaptureBase
import Glibc
import LinuxSystem
import Synchronization
import Testing

@testable import CaptureEncoding

@Suite("who reads standard output")
struct OutputReaderTests {
    /// A pipe in which nothing more fits.
    private struct FullPipe: ~Copyable {
        let ends: [Int32]

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            self.ends = ends
            _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
            let bytes = [UInt8](repeating: 0, count: 65_536)
            while write(ends[1], bytes, bytes.count) > 0 {}
            // Blocking, as a shell gives it.
            _ = fcntl(ends[1], F_SETFL, 0)
        }

        func read() {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            _ = Glibc.read(ends[0], &bytes, bytes.count)
        }

        deinit { for end in ends { close(end) } }
    }

    /// A reader with a patience of 250 ms, by a clock on which each check takes 100 ms.
    private func slowlyLooking(at pipe: borrowing FullPipe) -> OutputReader {
        let time = Atomic<Int64>(0)
        return OutputReader(of: RawDescriptor(pipe.ends[1]), patience: .milliseconds(250)) {
            time.add(100_000_000, ordering: .relaxed).newValue
        }
    }

    @Test("it is waited for as long as something is captured, and for a while without a byte after that")
    func patience() throws {
        let pipe = try FullPipe()
        let reader = slowlyLooking(at: pipe)
        let looks = Atomic(0)
        // Not over for longer than its patience lasts.
        reader.watch { looks.add(1, ordering: .relaxed).newValue > 5 }
        #expect(!reader.waitForRoom())
        // Over at the sixth check, and abandoned 300 ms after it.
        #expect(looks.load(ordering: .relaxed) == 9)
        // Permanently: the remaining bytes are not waited for again.
        let before = looks.load(ordering: .relaxed)
        #expect(!reader.waitForRoom() && looks.load(ordering: .relaxed) == before)
    }

    @Test("one that reads on has its time anew with each byte")
    func slow() throws {
        let pipe = try FullPipe()
        let reader = slowlyLooking(at: pipe)
        let looks = Atomic(0)
        // It reads before each third check, so that none finds its time over.
        reader.watch { [ends = pipe.ends] in
            if looks.add(1, ordering: .relaxed).newValue % 2 == 0 {
                var bytes = [UInt8](repeating: 0, count: 65_536)
                _ = read(ends[0], &bytes, bytes.count)
            }
            return true
        }
        for _ in 0..<4 {
            #expect(reader.waitForRoom())
            reader.took()
            let bytes = [UInt8](repeating: 0, count: 65_536)
            #expect(write(reader.descriptor.number, bytes, bytes.count) > 0)
        }
    }

    @Test("a pipe is written through a description of its own, which nobody else's writes wait by")
    func own() throws {
        let pipe = try FullPipe()
        let reader = OutputReader(of: RawDescriptor(pipe.ends[1]))
        #expect(reader.descriptor.number != pipe.ends[1] && reader.atOnce == nil)
        #expect(
            fcntl(reader.descriptor.number, F_GETFL) & O_NONBLOCK != 0 && fcntl(pipe.ends[1], F_GETFL) & O_NONBLOCK == 0
        )
    }

    @Test("a socket is written in pieces that do not wait")
    func socket() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let reader = OutputReader(of: RawDescriptor(ends[0]))
        #expect(reader.descriptor.number == ends[0] && reader.atOnce == 4096)
    }
}
