import CMedia
import CaptureRealtime
import Gate
import Testing

@testable import CaptureGate

@Suite("Inputs of capture cards")
struct VideoInputTests {
    @Test(
        "Timings are read as they are written",
        arguments: ["1920x1080p60", "1920x1080i50", "720x576i50", "640x480p59.94", "4096x2160p24"])
    func timings(text: String) throws {
        #expect(try #require(VideoTimings(text)).description == text)
    }

    @Test("An interlaced signal is named by its fields")
    func fields() {
        let shape = SignalTimings(width: 1920, height: 1080, isInterlaced: true, millihertz: 25_000)
        #expect(VideoTimings(shape).description == "1920x1080i50")
    }

    @Test(
        "What is no timings is refused",
        arguments: [
            "", "p", "1920x1080", "x1080p60", "1920x1080p", "1920x1080p0", "1920x1080q60", "99999x1p60", "1x1pinf",
        ])
    func nonsense(text: String) {
        #expect(VideoTimings(text) == nil)
    }

    @Test("Standards are known by family and by name, in any case")
    func standards() {
        #expect(VideoStandard("pal")?.rawValue == 0xFF && VideoStandard("NTSC")?.rawValue == 0xB000)
        #expect(VideoStandard("pal-m")?.description == "PAL-M" && VideoStandard("auto") == .automatic)
        #expect(VideoStandard("pal-x") == nil && VideoStandard("") == nil)
        #expect(VideoStandard.parts(of: 0xFF).first?.description == "PAL")
        #expect(VideoStandard.parts(of: 0).isEmpty)
    }

    private static let card = Device(
        id: DeviceID(rawValue: "camera:card"), name: "Card", capability: .camera, availability: .available,
        ambiguity: nil, nodes: [], pcmName: nil, formats: .unknown)
    private static let inputs = ["TV 0", "HDMI 0", "HDMI 1"].enumerated().map {
        VideoInput(index: $0, name: $1, isCurrent: $0 == 0, signal: .present, standards: [])
    }

    @Test(
        "An input is meant by its number, its name, or a part of it that no other has",
        arguments: [
            ("1", 1), ("hdmi 1", 2), ("tv", 0), ("HDMI 0", 1),
        ])
    func named(text: String, index: Int) throws {
        #expect(try Self.inputs.named(text, of: Self.card).index == index)
    }

    @Test("An unknown one is answered with what there is", arguments: ["hdmi", "7", "", "scart\u{1B}[2J"])
    func unknown(text: String) {
        #expect {
            try Self.inputs.named(text, of: Self.card)
        } throws: { error in
            guard let error = error as? CaptureError else { return false }
            return error.kind == .notAsAsked && error.message.contains("0 (TV 0), 1 (HDMI 0), 2 (HDMI 1)")
                && !error.message.contains("\u{1B}")
        }
    }

    @Test("What ends a capture for want of a signal says which, and what to do")
    func ends() {
        let lost = DeviceFault(device: Self.card, signal: .noSignal).end(LoopResult(.stalled), gate: nil)
        guard case .signalChanged(let error) = lost else { return #expect(Bool(false), "\(lost)") }
        #expect(error.kind == .unavailable && error.message.contains("has no signal") && !error.remedies.isEmpty)
        let shape = SignalTimings(width: 1920, height: 1080, isInterlaced: false, millihertz: 60_000)
        let format = VideoFormat(width: 640, height: 480, pixelFormat: .yuyv, frameRate: .thirty, bytesPerLine: 1280)
        let other = DeviceFault(device: Self.card, format: format, signal: .present, changed: shape)
            .end(LoopResult(.signalChanged), gate: nil)
        #expect(other.error?.message.contains("from 640x480 to 1920x1080p60") == true)
        #expect(DeviceFault(device: Self.card).end(LoopResult(.stalled), gate: nil).error?.kind == .stalled)
    }

    @Test("A camera that claims too much is unavailable, and a card without a signal says so")
    func openings() {
        let fault = DeviceFault(device: Self.card)
        #expect(fault.error(RealtimeFault(.getFormat, result: -EFBIG)).kind == .unavailable)
        let silent = DeviceFault(device: Self.card, signal: .noSignal)
        #expect(silent.error(RealtimeFault(.streamOn, result: -ENOLINK)).message.contains("has no signal"))
        #expect(fault.error(RealtimeFault(.setStandard, result: -EINVAL)).kind == .notAsAsked)
    }
}
