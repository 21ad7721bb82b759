import CaptureGate
import Testing

@Suite("Device query")
struct DeviceQueryTests {
    private let devices = DeviceCatalog.scan(.identity).filter(\.isBuiltIn)

    @Test("An id names its device")
    func id() throws {
        #expect(try DeviceQuery("test:tone").pick(from: devices, .microphone).id.rawValue == "test:tone")
    }

    @Test("A part of the name that one device has will do, in either case")
    func part() throws {
        #expect(try DeviceQuery("TEST TONE").pick(from: devices, .microphone).id.rawValue == "test:tone")
    }

    @Test("The machine's choice is never a built-in device")
    func builtInIsNeverChosen() {
        let error = #expect(throws: CaptureError.self) { try DeviceQuery.default.pick(from: devices, .camera) }
        #expect(error?.kind == .noDevice)
    }

    @Test("What fits nothing is told with what there is", arguments: ["nonsense", "", "test:bars"])
    func nothing(text: String) {
        let error = #expect(throws: CaptureError.self) { try DeviceQuery(text).pick(from: devices, .microphone) }
        #expect(error?.kind == .noDevice)
        #expect(error?.remedies.first?.text.contains("test:tone") == true)
    }

    @Test("A name's control characters are shown, not obeyed")
    func controlCharacters() {
        let error = #expect(throws: CaptureError.self) {
            try DeviceQuery("\u{1B}[2J").pick(from: devices, .microphone)
        }
        #expect(error?.message.contains("\u{1B}") == false)
    }

    @Test(
        "Hardware can't be named past its id", arguments: ["alsa:hw:0,0", "alsa:plughw:1", "alsa:plug:hw:0", "alsa:"])
    func noAliasOfHardware(name: String) {
        let error = #expect(throws: CaptureError.self) { try DeviceQuery(name).pick(from: devices, .microphone) }
        #expect(error?.kind == .noDevice)
    }
}
