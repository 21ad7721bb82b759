import CaptureBase
import CaptureEncoding
import ClipScenery
import Foundation
import Testing

@Suite("Loss ledger")
struct LedgerTests {
    @Test("Its JSON is what Codable reads and writes")
    func json() throws {
        var ledger = Recording.ledger
        var video = TrackLedger(kind: .video, name: "Cam \"x\\y\"\n\u{1}ü", device: "cam-1")
        video.lost.device = 3
        video.lost.encoder = 4
        video.firstNanoseconds = 0
        video.lastNanoseconds = 9_223_372_036_854_775_807
        ledger.tracks.append(video)
        let read = try JSONDecoder().decode(LossLedger.self, from: Data(ledger.json.utf8))
        #expect(read == ledger)
        let encoder = JSONEncoder()
        let written = try JSONSerialization.jsonObject(with: encoder.encode(ledger)) as? NSDictionary
        #expect(written == (try JSONSerialization.jsonObject(with: Data(ledger.json.utf8)) as? NSDictionary))
        #expect(ledger.totalLost == 8 && !ledger.json.contains("\n"))
    }

    @Test("A clip's JSON is one line with names in snake case")
    func clip() throws {
        let format = AudioFormat(sampleRate: 48000, channels: 2, sampleFormat: .s24)
        let clip = Clip(
            path: "a.mkv", format: .matroska, duration: .nanoseconds(5), bytes: 6,
            tracks: [Recording.track(format), Recording.track(Source.video(.yuyv))], ledger: Recording.ledger,
            end: .deviceGone)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(clip.json.utf8)) as? [String: Any])
        #expect(read["end"] as? String == "device_gone" && read["format"] as? String == "mkv")
        #expect(read["duration_ns"] as? Int == 5 && read["bytes"] as? Int == 6)
        let tracks = try #require(read["tracks"] as? [[String: Any]])
        #expect((tracks[0]["audio"] as? [String: Any])?["sample_format"] as? String == "S24_LE")
        #expect((tracks[1]["video"] as? [String: Any])?["pixel_format"] as? String == "YUYV")
    }
}
