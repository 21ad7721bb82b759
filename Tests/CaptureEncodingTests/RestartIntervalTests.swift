import CCodecs
import CaptureBase
import ClipScenery
import Foundation
import Synchronization
import Testing

@testable import CaptureEncoding

@Suite("Images in restart intervals")
struct RestartIntervalTests {
    /// A kind of frames, large enough for several intervals of which the last is shorter.
    struct Frames: CustomTestStringConvertible, Sendable {
        let format: VideoFormat
        var parameters = MJPEGParameters()

        init(
            _ pixelFormat: PixelFormat, _ width: Int = 640, _ height: Int = 266, bytesPerLine: Int = 0,
            range: Colorimetry.Range? = nil, _ change: (inout MJPEGParameters) -> Void = { _ in }
        ) {
            var format = Source.video(pixelFormat, width, height, bytesPerLine: bytesPerLine)
            if let range { format.colorimetry.range = range }
            self.format = format
            change(&parameters)
        }

        var testDescription: String { "\(format.pixelFormat) \(format.width)x\(format.height) \(parameters)" }

        /// Noise over a ramp; one value everywhere for a negative number.
        func frame(_ number: Int) -> [UInt8] {
            var bits = UInt32(number + 1)
            let count = RawLayout(format)?.byteCount ?? 0
            if number < 0 { return [UInt8](repeating: 90, count: count) }
            return (0..<count).map { index in
                bits = bits &* 1_664_525 &+ 1_013_904_223
                return UInt8(truncatingIfNeeded: index / 97 &+ number) &+ UInt8(bits >> 28)
            }
        }

        func images(_ frames: [[UInt8]], threads: Int) throws -> [[UInt8]] {
            let encoder = MJPEGEncoder(format: format, parameters: parameters, threads: threads)
            try encoder.begin()
            var packets = PacketBuffer()
            for (number, frame) in frames.enumerated() {
                try encoder.encode(frame.span.bytes, at: Int64(number), into: &packets)
            }
            encoder.finish(into: &packets)
            #expect((0..<packets.count).map { packets.time(of: $0) } == frames.indices.map(Int64.init))
            return (0..<packets.count).map { packets.withBytes(of: $0) { Array($0) } }
        }
    }

    private static let kinds = [
        Frames(.yuyv), Frames(.yuyv) { $0.chroma = .yuv420 }, Frames(.yuyv, bytesPerLine: 1344),
        Frames(.uyvy, 638, 261),
        Frames(.nv12, 639, 265), Frames(.yuv420) { $0.range = .full }, Frames(.yuv420, 637, 263, bytesPerLine: 704),
        Frames(.grey), Frames(.rgb24, range: .full), Frames(.bgr24, 637, 263, range: .limited) { $0.chroma = .yuv420 },
        Frames(.yuyv) { $0.codes = .standard }, Frames(.nv12) { $0.quantization = .annexK },
    ]

    @Test("They have the same bytes on any number of threads, when codes are fitted anew as well", arguments: kinds)
    func threads(kind: Frames) throws {
        let pictures = (0..<3).map { kind.frame($0) }
        let frames = (0..<17).map { pictures[$0 % 3] }
        let alone = try kind.images(frames, threads: 1)
        #expect(alone.count == 17)
        for threads in [2, 5] {
            let isSame = try kind.images(frames, threads: threads) == alone
            #expect(isSame, "\(threads) threads")
        }
    }

    @Test("They have the same bytes on any number of threads where an image does not fit with the codes before it")
    func suddenChange() throws {
        let kind = Frames(.yuv420) { ($0.quality, $0.range) = (100, .full) }
        var bits: UInt32 = 1
        let noise = kind.frame(0).map { _ -> UInt8 in
            bits = bits &* 1_664_525 &+ 1_013_904_223
            return bits >> 31 == 0 ? 0 : 255
        }
        let flat = kind.frame(-1)
        let frames = (0..<70).map { $0 == 66 ? noise : flat }
        let alone = try kind.images(frames, threads: 1)
        #expect(alone.count == 70)
        let shown = try #require(Decoded(alone[66])).planes[0]
        let errors = zip(shown, noise).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(errors < 3 * shown.count)
        let isSame = try kind.images(frames, threads: 3) == alone
        #expect(isSame)
    }

    @Test("They are the images that libjpeg makes by itself with such intervals")
    func libjpeg() throws {
        let kind = Frames(.yuv420) { ($0.range, $0.codes) = (.full, .standard) }
        let frame = kind.frame(3)
        let divided = try #require(try kind.images([frame], threads: 2).first)

        let intervals = RestartIntervals(width: 640, height: 266, sampling: .yuv420)
        #expect(intervals.count == 3)
        var setup = cc_jpeg_setup()
        (setup.width, setup.height, setup.subsampling, setup.order) = (640, 266, Int32(CC_JPEG_420), -1)
        (setup.has_dead_zone, setup.restart_rows) = (1, Int32(intervals.rowsOfUnits))
        let steps = QuantizationTables.steps(.even, quality: 90)
        let writer = try #require(cc_jpeg_writer_new(&setup, steps))
        defer { cc_jpeg_writer_free(writer) }
        var whole = [UInt8](repeating: 0, count: cc_jpeg_bound(640, 266, setup.subsampling))
        let planarizer = try #require(Planarizer(kind.format.of(.full), to: .jpeg))
        let size = frame.withUnsafeBytes { frame in
            frame.baseAddress.map { frame in
                var planes = planarizer.borrowed(frame)
                return cc_jpeg_write(writer, &planes, &whole, whole.count)
            }
        }
        let isSame = Array(whole[..<Int(try #require(size))]) == divided
        #expect(isSame)
    }

    @Test("They show what undivided images show, to another program as well", arguments: kinds)
    func decoded(kind: Frames) throws {
        let frame = kind.frame(5)
        let divided = try #require(try kind.images([frame], threads: 2).first)
        let encoder = MJPEGEncoder(format: kind.format, parameters: kind.parameters, isSingle: true)
        try encoder.begin()
        var packets = PacketBuffer()
        try encoder.encode(frame.span.bytes, at: 0, into: &packets)
        let whole = packets.withBytes(of: 0) { Array($0) }
        #expect(divided != whole)
        let scratch = try Scratch()
        for (name, image) in [("divided", divided), ("whole", whole)] {
            try scratch.write(image, to: "\(name).jpg")
            _ = try Tool.text(
                "ffmpeg",
                ["-v", "error", "-i", scratch.path("\(name).jpg"), "-f", "rawvideo", scratch.path("\(name).raw")],
                in: scratch)
        }
        #expect(try Scratch.read(scratch.path("divided.raw")) == Scratch.read(scratch.path("whole.raw")))
        let (one, other) = (try #require(Decoded(divided)), try #require(Decoded(whole)))
        #expect(one.planes == other.planes)
    }

    @Test("An image with an interval that did not fit is an error, and the next one is as it should be")
    func full() throws {
        let kind = Frames(.yuyv) { $0.codes = .standard }
        let frame = kind.frame(1)
        let whole = try #require(try kind.images([frame], threads: 1).first)
        let writer = try #require(try JPEGWriter(kind.format, kind.parameters, threads: 3))
        var room = [UInt8](repeating: 0, count: writer.capacity)
        func size(in count: Int) throws -> Int {
            try frame.withUnsafeBytes { frame in
                try room.withUnsafeMutableBytes { room in
                    try writer.write(
                        #require(frame.baseAddress), into: UnsafeMutableRawBufferPointer(rebasing: room[..<count]))
                }
            }
        }
        for count in [1, 100, writer.capacity / 3, writer.capacity / 3 * 2 + 100] {
            #expect(throws: CaptureError.self) { _ = try size(in: count) }
            let found = try size(in: writer.capacity)
            #expect(Array(room[..<found]) == whole)
        }
    }

    @Test(
        "Every row is in one interval, each of a whole number of MCUs and at most 65535 of them",
        arguments: [
            (1920, 1080, ChromaSampling.yuv422, 15), (1280, 720, .yuv420, 15), (640, 480, .yuv422, 6),
            (320, 240, .yuv420, 1), (16_384, 16_384, .grey, 67), (16_384, 3, .yuv444, 1), (1, 16_384, .yuv420, 1),
        ])
    func division(width: Int, height: Int, sampling: ChromaSampling, count: Int) {
        let intervals = RestartIntervals(width: width, height: height, sampling: sampling)
        #expect(intervals.count == count)
        var next = 0
        for interval in 0..<intervals.count {
            let rows = intervals.rows(of: interval)
            #expect(rows.lowerBound == next && !rows.isEmpty)
            #expect(interval == intervals.count - 1 || rows.count.isMultiple(of: sampling == .yuv420 ? 16 : 8))
            #expect(intervals.rowsOfUnits * ((width + 7) / 8) <= 65_535 * 2)
            next = rows.upperBound
        }
        #expect(next == height)
    }
}

@Suite("Worker threads")
struct WorkerThreadTests {
    /// Counts the performances of each piece, and the threads that performed any.
    private final class Tally: SharedWork {
        let pieces: [Atomic<Int>.Box]
        let isBusy: [Atomic<Int>.Box]
        let overlaps = Atomic<Int>.Box()
        let tasks = Mutex<Set<String>>([])

        init(pieces: Int, threads: Int) {
            self.pieces = (0..<pieces).map { _ in Atomic<Int>.Box() }
            isBusy = (0..<threads).map { _ in Atomic<Int>.Box() }
        }

        func perform(_ piece: Int, on thread: Int) {
            if isBusy[thread].add(1) != 1 { _ = overlaps.add(1) }
            _ = pieces[piece].add(1)
            if thread > 0, let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self") {
                tasks.withLock { _ = $0.insert(name) }
            }
            _ = isBusy[thread].add(-1)
        }
    }

    @Test("Each piece is done once when the call returns, whoever does it", arguments: 1...5)
    func pieces(threads: Int) {
        let tally = Tally(pieces: 7, threads: threads)
        let workers = WorkerThreads(sharing: tally, threads: threads)
        for turn in 1...500 {
            workers.perform(turn % 7 + 1)
            let expected = (0..<7).map { piece in (1...turn).count { $0 % 7 + 1 > piece } }
            #expect(tally.pieces.map(\.value) == expected)
        }
        #expect(tally.overlaps.value == 0)
    }

    @Test("No thread is left once their owner is gone")
    func end() {
        let tally = Tally(pieces: 64, threads: 4)
        do {
            let workers = WorkerThreads(sharing: tally, threads: 4)
            // Until one has done something.
            while tally.tasks.withLock({ $0.isEmpty }) { workers.perform(64) }
        }
        for task in tally.tasks.withLock({ $0 }) {
            // The kernel takes its time to forget one that has ended.
            while FileManager.default.fileExists(atPath: "/proc/\(task)") { sched_yield() }
        }
    }
}

extension Atomic where Value == Int {
    /// An atomic number that arrays can hold.
    fileprivate final class Box: Sendable {
        private let number = Atomic<Int>(0)

        var value: Int { number.load(ordering: .sequentiallyConsistent) }

        /// - Returns: the sum.
        func add(_ count: Int) -> Int { number.add(count, ordering: .sequentiallyConsistent).newValue }
    }
}
