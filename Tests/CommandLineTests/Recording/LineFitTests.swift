import CaptureRecording
import FoundationEssentials
import Testing

@testable import capturegate

@Suite("the words of the live line", .fewAtOnce)
struct ProgressLayoutTests {
    /// A minute, 24 frames lost, from a camera and a microphone.
    private func progress() throws -> ProgressText {
        let json = """
            {"elapsedNanoseconds": 61200000000, "bytes": 27000000,
             "microphones": [{"peakDBFS": -20, "rmsDBFS": -23, "clipped": false, "frames": 9, "lost": 4, "xruns": 0}],
             "cameras": [{"frames": 9, "lost": 20, "framesPerSecond": 29.97}]}
            """
        return ProgressText(progress: try JSONDecoder().decode(RecordingProgress.self, from: Data(json.utf8)))
    }

    @Test("at every width from 7 columns on, all of the loss count is there, and nothing is cut")
    func widths() throws {
        let text = try progress()
        let words = text.words(left: "50 h left")
        for room in 0...100 {
            let fit = ProgressLayout(text, left: "50 h left", in: room)
            #expect(fit.text.count <= room && fit.freeColumns == room - fit.text.count)
            #expect(fit.words.contains("lost 24") == (room >= 7))
            #expect(fit.words.allSatisfy(words.contains))
        }
    }

    @Test("what matters most comes first")
    func order() throws {
        let text = try progress()
        #expect(ProgressLayout(text, left: nil, in: 16).words == ["01:01.2", "lost 24"])
        let all = ["01:01.2", "lost 24", " -20.0 dBFS", "30.0 fps", "27.0 MB", "3.5 Mbit/s", "50 h left"]
        #expect(ProgressLayout(text, left: "50 h left", in: 100).words == all)
    }
}
