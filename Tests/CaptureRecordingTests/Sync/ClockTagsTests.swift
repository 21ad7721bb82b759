import CaptureGate
import CaptureRecording
import ClipScenery
import Testing

@Suite("Clock tags")
struct ClockTagsTests {
    @Test("a Matroska file says of each track how late it began and how its clock runs")
    func tags() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48_000, channels: 1, sampleFormat: .s16)
        try Recording.sound(Source.sound(format, frames: 4800), format, to: scratch.path("a.mkv"))
        let tags = try Tool.text(
            "ffprobe", ["-v", "error", "-show_entries", "stream_tags", scratch.path("a.mkv")], in: scratch)
        #expect(tags.contains("TAG:DRIFT_PPM=12.5\n"))
        #expect(tags.contains("TAG:START_OFFSET_NS=0\n"))
    }
}
