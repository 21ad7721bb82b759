import CaptureGate
import CaptureRecording
import Testing

@Suite("Differences of a recording")
struct RecordingDifferenceTests {
    @Test("A pre-roll that is shorter says both times, rounded to tenths of a second")
    func preRoll() {
        let difference = RecordingDifference.preRoll(asked: .seconds(10), got: .milliseconds(3_249))
        #expect(
            difference.description
                == "The pre-roll is 3.2 s, not 10.0 s: the capture was too short, or memory was full.")
        #expect(
            RecordingDifference.preRoll(asked: .seconds(1), got: .milliseconds(950)).description.contains(" 1.0 s,"))
        #expect(RecordingDifference.preRoll(asked: .seconds(1), got: .seconds(-1)).description.contains(" 0.0 s,"))
    }

    @Test("What a device does otherwise is said in the device's words")
    func format() {
        let rate = FormatDifference.sampleRate(asked: 44_100, got: 48_000)
        #expect(RecordingDifference.format(rate).description == "sample rate 48000 Hz instead of 44100 Hz")
    }
}
