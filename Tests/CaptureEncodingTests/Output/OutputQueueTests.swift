import CaptureBase
import ClipScenery
import Foundation
import Glibc
import LinuxSystem
import Testing

@testable import CaptureEncoding

@Suite("Bytes that wait to be written", .timeLimit(.minutes(10)))
struct OutputQueueTests {
    /// A pipe of which somebody reads only when told to.
    private final class Pipe {
        let ends: (reading: Int32, writing: Int32)
        var output: ClipOutput?

        init() throws {
            var ends: [Int32] = [0, 0]
            guard Glibc.pipe(&ends) == 0 else { throw Errno(Glibc.errno) }
            self.ends = (ends[0], ends[1])
        }

        deinit {
            close(ends.reading)
            close(ends.writing)
        }

        /// An output that writes to the pipe.
        func opened(buffer: Int) throws -> ClipOutput {
            var output = try ClipOutput(opening: .pipe(path: "/proc/self/fd/\(ends.writing)"))
            try output.buffer(buffer)
            return output
        }

        func read(_ count: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            var filled = 0
            while filled < count {
                let got = bytes[filled...].withUnsafeMutableBytes { Glibc.read(ends.reading, $0.baseAddress, $0.count) }
                if got <= 0 { break }
                filled += got
            }
            return Array(bytes.prefix(filled))
        }
    }

    /// Bytes that encode their position.
    private func block(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: (number &* 31 &+ $0) &* 0x9E37 >> 3) }
    }

    @Test("a reader that pauses gets all of it, in order, and the writer has not waited")
    func pause() throws {
        let pipe = try Pipe()
        var output = try pipe.opened(buffer: 8_000_000)
        var sent: [UInt8] = []
        // Nobody reads meanwhile: a write that waited would wait for ever.
        for (number, count) in [10, 300_000, 1, 4096, 5_000_000, 70_000].enumerated() {
            let bytes = block(number, count)
            try output.write(bytes)
            sent += bytes
        }
        #expect(output.bytesWritten == Int64(sent.count) && output.bytesStored < output.bytesWritten)
        #expect(pipe.read(sent.count) == sent)
        try output.finish()
        #expect(output.bytesStored == Int64(sent.count))
    }

    @Test("a file is the same with a queue and without, patches and cuts included")
    func file() throws {
        let scratch = try Scratch()
        for (name, buffer) in [("with", 1_000_000), ("without", 0)] {
            var output = try ClipOutput(opening: .file(path: scratch.path(name)))
            try output.buffer(buffer)
            for number in 0..<50 {
                try output.write(block(number, number * 997))
                try output.patch(block(number, 4), at: Int64(number))
            }
            try output.rewind(to: output.bytesWritten - 500)
            try output.write(block(51, 77))
            try output.finish()
        }
        let (with, without) = (try Scratch.read(scratch.path("with")), try Scratch.read(scratch.path("without")))
        #expect(with == without && with.count == 997 * 49 * 25 - 423)
    }

    @Test("an error of bytes that waited is thrown by a later call, and the rest is dropped")
    func failure() throws {
        var output = try ClipOutput(opening: .pipe(path: "/dev/fd/\(open("/dev/full", O_WRONLY))"))
        try output.buffer(1_000_000)
        #expect(throws: CaptureError.self) {
            for _ in 0..<10_000 { try output.write([1, 2, 3]) }
            try output.settle()
        }
        try? output.settle()
        #expect(output.bytesWritten == 0)
    }

    @Test("with a full queue the writer waits, and goes on with the reader")
    func full() async throws {
        let pipe = try Pipe()
        let bytes = block(0, 100_000)
        let reading = pipe.ends.reading
        var output = try pipe.opened(buffer: 150_000)
        let total = 40 * bytes.count
        let reader = Task.detached { () -> Int in
            var count = 0
            var room = [UInt8](repeating: 0, count: 65_536)
            while count < total {
                let got = Glibc.read(reading, &room, room.count)
                if got <= 0 { break }
                count += got
            }
            return count
        }
        for _ in 0..<40 { try output.write(bytes) }
        try output.finish()
        #expect(await reader.value == total)
    }

    @Test("a mark is found as long as the file may end there")
    func marks() {
        var marks = WrittenMarks<Int>()
        #expect(marks.last(within: 1000) == nil)
        for number in 1...500 { marks.note(number, at: Int64(number * 10), stored: Int64(max(0, number - 100) * 10)) }
        #expect(marks.last(within: 4010)?.value == 401)
        #expect(marks.last(within: 4999)?.value == 499)
        #expect(marks.last(within: 9999)?.end == 5000)
    }
}
