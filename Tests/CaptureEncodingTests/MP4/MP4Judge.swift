import ClipScenery
import Foundation
import Testing

/// Programs of others that read MP4.
enum MP4Judge {
    /// Entries that ffprobe prints, and nothing that it complains of.
    static func probe(
        _ entries: String, _ path: String, _ scratch: Scratch, stream: String? = nil
    ) throws -> [String] {
        let chosen = stream.map { ["-select_streams", $0] } ?? []
        let found = try Tool.run(
            "ffprobe",
            ["-v", "warning", "-count_frames"] + chosen + ["-show_entries", entries, "-of", "default=nw=1", path],
            in: scratch)
        // While it looks for streams, ffprobe misses the end of each JPEG in which it removed one stuffed byte and no more.
        let faults = found.errors.split(separator: "\n").filter { !$0.contains("EOI missing, emulating") }
        #expect(found.status == 0 && faults.isEmpty, "\(found.errors)")
        return found.text.split(separator: "\n").map(String.init)
    }

    /// Numbers of one entry of each packet.
    static func packets(_ entry: String, _ path: String, _ scratch: Scratch, stream: String) throws -> [Int64] {
        try probe("packet=\(entry)", path, scratch, stream: stream).filter { $0.hasPrefix(entry + "=") }
            .compactMap { Int64($0.dropFirst(entry.count + 1)) }
    }

    /// What ffmpeg, mediainfo and GStreamer find wrong in a file, each reading all of it; `nil` if nothing.
    static func fault(_ path: String, _ scratch: Scratch) throws -> String? {
        let decoded = try Tool.run("ffmpeg", ["-v", "error", "-xerror", "-i", path, "-f", "null", "-"], in: scratch)
        guard decoded.status == 0, decoded.errors.isEmpty else { return "ffmpeg: \(decoded.errors)" }
        let listed = try Tool.text("mediainfo", ["--Full", path], in: scratch)
        // mediainfo prints a section "Conformance errors" if it finds any, and reports a cut file.
        if listed.contains("Conformance") || listed.contains("IsTruncated") { return "mediainfo: \(listed)" }
        let demuxed = try Tool.run(
            "gst-launch-1.0", ["-q", "filesrc", "location=\(path)", "!", "qtdemux", "!", "fakesink"], in: scratch)
        return demuxed.status == 0 && demuxed.errors.isEmpty ? nil : "GStreamer: \(demuxed.errors)"
    }

    /// Packets of a track, `video_0` or `audio_0`, from GStreamer's qtdemux, one after another.
    static func packets(_ pad: String, _ path: String, _ scratch: Scratch) throws -> [UInt8] {
        let out = scratch.path()
        _ = try Tool.text(
            "gst-launch-1.0",
            [
                "-q", "filesrc", "location=\(path)", "!", "qtdemux", "name=d", "d.\(pad)", "!", "filesink",
                "location=\(out)",
            ],
            in: scratch)
        return try Scratch.read(out)
    }
}

/// Boxes of a file's top level.
struct MP4Layout {
    let boxes: [(type: String, start: Int, size: Int)]

    init(_ bytes: [UInt8]) {
        var boxes: [(String, Int, Int)] = []
        var at = 0
        func number(_ at: Int, _ width: Int) -> Int { bytes[at..<at + width].reduce(0) { $0 << 8 | Int($1) } }
        while at + 8 <= bytes.count {
            let short = number(at, 4)
            let size = short == 1 ? number(at + 8, 8) : short
            boxes.append((String(decoding: bytes[at + 4..<at + 8], as: UTF8.self), at, size))
            at += max(size, 8)
        }
        self.boxes = boxes
    }

    var types: [String] { boxes.map(\.type) }
    /// The last box ends where the file does.
    func isWhole(_ bytes: [UInt8]) -> Bool { boxes.last.map { $0.start + $0.size } == bytes.count }
}
