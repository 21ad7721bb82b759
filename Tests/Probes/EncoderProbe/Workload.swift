import CaptureGate
import CaptureRecording

/// One track's frames, the same again and again.
struct Workload {
    let track: ClipTrack
    private let frame: [UInt8]
    private let nanoseconds: Int64

    /// Periods of 10 ms.
    init(_ format: AudioFormat) {
        track = ClipTrack(.audio(format), name: "sound", device: "sound")
        var state: UInt32 = 1
        frame = (0..<format.sampleRate / 100 * format.bytesPerFrame).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24) & 0x3F
        }
        nanoseconds = 10_000_000
    }

    init(_ format: VideoFormat, bytes: [UInt8]) {
        track = ClipTrack(.video(format), name: "picture", device: "picture")
        frame = bytes
        nanoseconds = format.frameRate.frameNanoseconds
    }

    private func time(_ number: Int) -> Int64 { Int64(number) * nanoseconds }

    func encode(_ range: Range<Int>, with encoder: any TrackEncoder, into packets: inout PacketBuffer) throws {
        for number in range {
            packets.removeAll()
            try encoder.encode(frame.span.bytes, at: time(number), into: &packets)
        }
    }

    /// Writes the same to each of several tracks.
    func write(_ range: Range<Int>, to writer: any ClipWriter, tracks: Int = 1) throws {
        for number in range {
            for track in 0..<tracks { try writer.write(frame.span.bytes, to: track, at: time(number)) }
        }
    }
}

/// Output that takes each frame and shows none.
// `@unchecked Sendable`: only the writer uses its buffer, on one thread.
final class Blackhole: FrameOutput, @unchecked Sendable {
    let path = "/dev/null"
    let pixelFormats: [PixelFormat]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 << 20, alignment: 64)

    init(_ format: PixelFormat) {
        pixelFormats = [format]
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { buffer.deallocate() }

    func begin(_ format: VideoFormat) -> VideoFormat { format }
    func pass(_ picture: UnsafeRawBufferPointer, at timestamp: Int64) -> Bool { true }
    func room() -> UnsafeMutableRawBufferPointer? { buffer }
    func put(_ count: Int, at timestamp: Int64) -> Bool { true }
    func end(isNormal: Bool) {}
}
