import CaptureBase
import CaptureEncoding

/// A camera's own stream, as x264 and x265 make it, in frames as V4L2 delivers them.
package struct CameraFootage: Sendable {
    package let format: VideoFormat
    /// Access units between start codes, one per frame.
    package let frames: [[UInt8]]
    /// All of them in a row.
    package var stream: [UInt8] { frames.flatMap { $0 } }

    package static let width = 320
    package static let height = 240
    /// Frames per second, and from one key frame to the next.
    package static let rate = 25
    package static let interval = 10

    private init(_ pixelFormat: PixelFormat, _ frames: [[UInt8]]) {
        format = Source.video(pixelFormat, Self.width, Self.height, rate: Self.rate)
        self.frames = frames
    }

    /// Makes it with ffmpeg.
    /// - Parameters:
    ///   - pixelFormat: H264 or HEVC.
    ///   - count: number of frames.
    ///   - scratch: directory for ffmpeg.
    ///   - extra: parameters of the encoder, such as `bframes=2`.
    package init(
        _ pixelFormat: PixelFormat, _ count: Int, _ scratch: Scratch, extra: String = "bframes=0"
    ) throws {
        let isAVC = pixelFormat == .h264
        let parameters =
            "aud=1:repeat-headers=1:keyint=\(Self.interval):min-keyint=\(Self.interval):scenecut=0:\(extra)"
            + (isAVC ? "" : ":log-level=none:open-gop=0:pools=1")
        let stream = try Tool.output(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=\(Self.width)x\(Self.height):rate=\(Self.rate)",
                "-frames:v", "\(count)", "-pix_fmt", "yuv420p", "-c:v", isAVC ? "libx264" : "libx265", "-preset",
                "ultrafast", isAVC ? "-x264-params" : "-x265-params", parameters, "-f", isAVC ? "h264" : "hevc", "-",
            ], in: scratch)
        self.init(pixelFormat, Self.split(stream, at: isAVC ? [9] : [0x46]))
    }

    /// The same with other frames.
    package func with(_ frames: [[UInt8]]) -> CameraFootage { CameraFootage(format.pixelFormat, frames) }

    /// Cuts a stream where access unit delimiters begin.
    private static func split(_ stream: [UInt8], at delimiter: [UInt8]) -> [[UInt8]] {
        let mark = [0, 0, 0, 1] + delimiter
        var frames: [[UInt8]] = []
        var begin = 0
        for at in 1..<max(stream.count - mark.count, 1) where stream[at..<at + mark.count].elementsEqual(mark) {
            frames.append(Array(stream[begin..<at]))
            begin = at
        }
        return frames + [Array(stream[begin...])]
    }

    /// Offsets of the units of a frame, their start codes included, and their types.
    package func units(_ frame: [UInt8]) -> [(type: Int, bytes: [UInt8])] {
        let starts = frame.indices.dropLast(3).filter {
            frame[$0] == 0 && frame[$0 + 1] == 0 && frame[$0 + 2] == 1
        }
        return starts.enumerated().map { index, start in
            let end = index + 1 < starts.count ? starts[index + 1] : frame.count
            let first = Int(frame[start + 3])
            return (format.pixelFormat == .h264 ? first & 31 : first >> 1 & 63, [0] + frame[start..<end])
        }
    }

    /// The frames without the parameter sets that key frames repeat, as some cameras send them: only the first has them.
    package var unrepeated: CameraFootage {
        let sets: Set = format.pixelFormat == .h264 ? [7, 8] : [32, 33, 34]
        return with(
            frames.enumerated().map { number, frame in
                number == 0 ? frame : units(frame).filter { !sets.contains($0.type) }.flatMap(\.bytes)
            })
    }

    /// Checksums of the frames of a file as ffmpeg decodes them.
    package static func pictures(_ path: String, _ scratch: Scratch) throws -> [String] {
        let found = try Tool.run(
            "ffmpeg", ["-v", "error", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-"],
            in: scratch)
        guard found.status == 0, found.errors.isEmpty else { throw ToolFailure(name: "ffmpeg", result: found) }
        return found.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            String($0.split(separator: ",").last ?? "").filter { $0 != " " }
        }
    }

    /// Checksums of these frames.
    package func pictures(_ scratch: Scratch) throws -> [String] {
        let name = format.pixelFormat == .h264 ? "stream.h264" : "stream.hevc"
        try scratch.write(stream, to: name)
        return try Self.pictures(scratch.path(name), scratch)
    }
}
