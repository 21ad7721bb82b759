import CCodecs
import CaptureBase
import ClipScenery
import Glibc
import Testing

@testable import CaptureEncoding

@Suite("MJPEG repair")
struct MJPEGRepairTests {
    private let video = Source.video(.mjpeg)

    /// A complete image with the Huffman tables that cameras omit.
    private func image() throws -> [UInt8] {
        let source = Source.video(.yuyv)
        let encoder = MJPEGEncoder(format: source, parameters: MJPEGParameters(codes: .standard))
        try encoder.begin()
        var packets = PacketBuffer()
        try encoder.encode(Source.picture(source).span.bytes, at: 0, into: &packets)
        return packets.withBytes(of: 0) { Array($0) }
    }

    /// The image without its DHT segments, as many cameras send it.
    private func withoutTables(_ image: [UInt8]) -> [UInt8] {
        var (rest, at) = (image, 2)
        while at + 4 < rest.count, rest[at] == 0xFF, rest[at + 1] != 0xDA {
            let length = 2 + Int(rest[at + 2]) << 8 + Int(rest[at + 3])
            if rest[at + 1] == 0xC4 { rest.removeSubrange(at..<at + length) } else { at += length }
        }
        return rest
    }

    private func pass(_ frames: [[UInt8]]) throws -> (images: [[UInt8]], counts: EncoderCounts) {
        let (repair, passing) = (MJPEGRepair(format: video), MJPEGRepair(format: video))
        try repair.begin()
        var packets = PacketBuffer()
        for frame in frames {
            let before = packets.count
            try repair.encode(frame.span.bytes, at: 0, into: &packets)
            // An image without faults is passed in place.
            guard let place = passing.pass(frame.span.bytes) else { continue }
            let isSame = packets.count == before + 1 && packets.withBytes(of: before) { $0.elementsEqual(frame[place]) }
            #expect(isSame)
        }
        return ((0..<packets.count).map { packets.withBytes(of: $0) { Array($0) } }, repair.counts)
    }

    /// The image as ffmpeg decodes it, which must find no fault.
    private func decoded(_ image: [UInt8]) throws -> [UInt8] {
        let scratch = try Scratch()
        try scratch.write(image, to: "a.jpg")
        let found = try Tool.run(
            "ffmpeg", ["-v", "warning", "-f", "mjpeg", "-i", scratch.path("a.jpg"), "-f", "rawvideo", "-"], in: scratch)
        #expect(
            !found.errors.contains("error") && !found.errors.contains("EOI") && found.status == 0, "\(found.errors)")
        return found.output
    }

    @Test("A whole image passes unchanged")
    func whole() throws {
        let image = try image()
        #expect(MJPEGRepair(format: video).pass(image.span.bytes) == 0..<image.count)
        let (images, counts) = try pass([image])
        #expect(images == [image] && counts.repaired == 0 && counts.skipped == 0 && counts.frames == 1)
    }

    @Test("Tables that are left out are put in")
    func tables() throws {
        let image = try image()
        let bare = withoutTables(image)
        #expect(bare.count == image.count - 432)
        let (images, counts) = try pass([bare])
        #expect(counts.repaired == 1 && counts.bytes == UInt64(image.count))
        #expect(try decoded(#require(images.first)) == decoded(image))
    }

    @Test("Junk before and behind the image is cut off")
    func junk() throws {
        let image = try image()
        let (images, counts) = try pass([image + [0, 0, 1, 2, 0xFF, 0xD8], [7, 7, 0xFF] + image])
        #expect(images == [image, image] && counts.repaired == 2)
    }

    @Test("A missing end is added, padding is dropped")
    func end() throws {
        let image = try image()
        let open = Array(image.dropLast(2))
        let (images, counts) = try pass([open, open + [0, 0, 0, 0], open + [0xFF]])
        #expect(images == [image, image, image] && counts.repaired == 3)
    }

    @Test("All faults at once are mended at once")
    func all() throws {
        let image = try image()
        let (images, counts) = try pass([[1, 2, 3] + withoutTables(image).dropLast(2) + [0, 0]])
        #expect(counts.repaired == 1)
        #expect(try decoded(#require(images.first)) == decoded(image))
    }

    @Test("What is no image, or is cut off in its head, is skipped and counted, and the next one is good")
    func broken() throws {
        let image = try image()
        var wrongSize = image
        let frame = try #require(image.indices.dropLast().first { image[$0] == 0xFF && image[$0 + 1] == 0xC0 })
        wrongSize[frame + 6] += 32
        var badLength = image
        badLength[4] = 0xFF
        let frames = [
            [], [0xFF], [0xFF, 0xD8], [0xFF, 0xD8, 0xFF, 0xD9], Array(image[..<100]), Array(image[40...]), wrongSize,
            badLength, [UInt8](repeating: 0, count: 9000),
        ]
        let (images, counts) = try pass(frames + [image])
        #expect(images == [image] && counts.skipped == UInt64(frames.count) && counts.frames == 1)
    }

    @Test("An image of which half or a quarter is missing is skipped and counted, and the next one is good")
    func cutOff() throws {
        let image = try image()
        let scan = try #require(image.indices.dropLast().first { image[$0] == 0xFF && image[$0 + 1] == 0xDA })
        let codes = image.count - scan - 16
        let cut = [image.dropLast(codes / 2), withoutTables(image).dropLast(codes / 4)].map { Array($0) }
        let (images, counts) = try pass(cut + [image])
        #expect(images == [image] && counts.skipped == 2 && counts.repaired == 0)
    }

    @Test("No cut and no changed byte of an image makes it trap", arguments: 0..<4)
    func fuzz(part: Int) throws {
        let image = try image()
        let bare = withoutTables(image)
        try FuzzTime.run(UInt64(part + 1)) { try fuzz($0.isMultiple(of: 2) ? image : bare, seed: $0) }
    }

    /// An image with its own Huffman tables, and one with the usual ones.
    private func images() throws -> [[UInt8]] {
        let source = Source.video(.yuyv)
        let encoder = MJPEGEncoder(format: source, parameters: MJPEGParameters(codes: .fitted))
        try encoder.begin()
        var packets = PacketBuffer()
        try encoder.encode(Source.picture(source).span.bytes, at: 0, into: &packets)
        return [try image(), packets.withBytes(of: 0) { Array($0) }]
    }

    /// Changes 1 to 8 bytes: anywhere, or in the part before the image's codes.
    private func damaged(_ image: [UInt8], inHead: Bool, _ random: inout SystemRandomNumberGenerator.Seeded) -> [UInt8]
    {
        let scan = image.indices.dropLast().first { image[$0] == 0xFF && image[$0 + 1] == 0xDA } ?? 0
        var image = image
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let at = Int.random(in: 2..<(inHead ? scan + 14 : image.count), using: &random)
            image[at] = UInt8.random(in: 0...255, using: &random)
        }
        return image
    }

    /// True if libjpeg reads its header and begins to decode; damage to the image itself is a warning.
    private func isOpened(_ image: [UInt8]) -> Bool {
        guard let decoder = cc_jpeg_decoder() else { return false }
        defer { cc_jpeg_free(decoder) }
        var planes = cc_jpeg_planes()
        // Such as the version of JFIF, which no decoder needs.
        guard [0, -EBADMSG].contains(cc_jpeg_header(decoder, image, image.count, &planes)) else { return false }
        let stride = 3 * planes.width
        var room = [UInt8](repeating: 0, count: Int(stride) * Int(planes.height))
        let found = cc_jpeg_decode_pixels(
            decoder, image, image.count, &room, Int32(planes.width), Int32(stride), Int32(planes.height),
            CC_JPEG_TO_RGB)
        return found == 0 || found == -EBADMSG
    }

    @Test("What passes of images whose bytes were changed, libjpeg and ffmpeg open, each one", arguments: 1...4)
    func damage(seed: UInt64) throws {
        var random = SystemRandomNumberGenerator.Seeded(seed)
        let scratch = try Scratch()
        let sources = try images()
        var passed = 0
        for number in 0..<400 {
            let image = damaged(sources[number % 2], inHead: number % 4 < 3, &random)
            guard let kept = try pass([image]).images.first else { continue }
            let isOpened = isOpened(kept)
            #expect(isOpened, "seed \(seed), image \(number)")
            passed += 1
            try scratch.write(kept, to: "\(passed).jpg")
        }
        // A judge that sees nothing proves nothing; and not all may be thrown away.
        #expect((40...300).contains(passed))
        // Many whole ones do not open once a table is broken.
        let lines = try Tool.text(
            "ffmpeg",
            [
                "-v", "quiet", "-f", "image2", "-c:v", "mjpeg", "-i", scratch.path("%d.jpg"), "-fps_mode",
                "passthrough", "-f", "framecrc", "-",
            ],
            in: scratch)
        #expect(lines.split(separator: "\n").count { !$0.hasPrefix("#") } == passed)
    }

    @Test("Each way in which tables and headers can be wrong is seen", arguments: Wrong.allCases)
    func wrong(_ wrong: Wrong) throws {
        let image = try image()
        let broken = try #require(wrong.done(to: image))
        #expect(broken != image)
        let (images, counts) = try pass([broken, image])
        #expect(images == [image] && counts.skipped == 1)
    }

    /// Each makes one thing of a valid image wrong.
    enum Wrong: CaseIterable, Sendable {
        case tooManyWords, allOnes, tableNumber, tableKind, wideDifference, symbolsMissing
        case quantizerNumber, quantizerPrecision, quantizerOfZero, quantizerMissing
        case precision, twoComponents, sampling, sameComponent, componentTable
        case scanComponent, scanTwice, scanTable, scanLength, restart, arithmetic, lossless, endWithin

        func done(to source: [UInt8]) -> [UInt8]? {
            func at(_ marker: UInt8) -> Int? {
                source.indices.dropLast().first { source[$0] == 0xFF && source[$0 + 1] == marker }
            }
            guard let huffman = at(0xC4), let quantizer = at(0xDB), let frame = at(0xC0), let scan = at(0xDA) else {
                return nil
            }
            var image = source
            func set(_ place: Int, _ value: UInt8) { image[place] = value }
            switch self {
            case .tooManyWords: set(huffman + 5, 3)
            case .allOnes:
                // Two words of one bit: the second is all ones.
                image[huffman + 5] = 2
                image[huffman + 7] = 0
            case .tableNumber: set(huffman + 4, image[huffman + 4] | 4)
            case .tableKind: set(huffman + 4, image[huffman + 4] | 0x20)
            case .wideDifference: set(huffman + 21, 200)
            case .symbolsMissing: set(huffman + 20, 255)
            case .quantizerNumber: set(quantizer + 4, 5)
            case .quantizerPrecision: set(quantizer + 4, 0x20)
            case .quantizerOfZero: set(quantizer + 9, 0)
            case .quantizerMissing: set(quantizer + 4, 3)
            case .precision: set(frame + 4, 9)
            case .twoComponents: set(frame + 9, 2)
            case .sampling: set(frame + 11, 0x32)
            case .sameComponent: set(frame + 13, image[frame + 10])
            case .componentTable: set(frame + 12, 3)
            case .scanComponent: set(scan + 5, 77)
            case .scanTwice: set(scan + 7, image[scan + 5])
            case .scanTable: set(scan + 6, 0x33)
            case .scanLength: set(scan + 4, 2)
            case .restart: image.insert(contentsOf: [0xFF, 0xDD, 0, 5, 0, 0, 0], at: frame)
            case .arithmetic: set(frame + 1, 0xC9)
            case .lossless: set(frame + 1, 0xC3)
            case .endWithin:
                image[scan + 100] = 0xFF
                image[scan + 101] = 0xD9
            }
            return image
        }
    }

    @Test("What fuzzing has found before is passed on or skipped", arguments: corpus.names)
    func replay(name: String) throws { _ = try check(Self.corpus.bytes(of: name)) }

    @Test("The corpus is there") func found() { #expect(!Self.corpus.names.isEmpty) }

    private static let corpus = FuzzCorpus("mjpeg")

    private func fuzz(_ image: [UInt8], seed: UInt64) throws {
        var random = SystemRandomNumberGenerator.Seeded(seed)
        for _ in 0..<400 {
            var frame = Array(image[..<Int.random(in: 0...image.count, using: &random)])
            for _ in 0..<Int.random(in: 0...6, using: &random) where !frame.isEmpty {
                frame[Int.random(in: 0..<min(frame.count, 700), using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            try Self.corpus.keep(frame, outcome: check(frame), ending: ".jpg")
        }
    }

    /// - Returns: what came of it, in words.
    private func check(_ frame: [UInt8]) throws -> String {
        let (images, counts) = try pass([frame])
        #expect(images.count + Int(counts.skipped) == 1)
        guard let image = images.first else {
            return "skipped, \(frame.count / 1024) KiB"
        }
        #expect(image.starts(with: [0xFF, 0xD8]) && image.suffix(2) == [0xFF, 0xD9])
        return "repaired \(counts.repaired), \((image.count - frame.count).signum())"
    }

    @Test("Only MJPEG is passed through")
    func refused() {
        #expect(throws: CaptureError.self) { try MJPEGRepair(format: Source.video(.yuyv)).begin() }
    }
}

extension SystemRandomNumberGenerator {
    /// SplitMix64: the same numbers on every run.
    struct Seeded: RandomNumberGenerator {
        private var state: UInt64

        init(_ seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            let first = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            let second = (first ^ first >> 27) &* 0x94D0_49BB_1331_11EB
            return second ^ second >> 31
        }
    }
}
