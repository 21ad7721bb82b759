import CaptureGate
import Testing

@Suite("control values")
struct ControlValueTests {
    private static let brightness = DeviceControl(
        id: 1, name: "brightness", label: "Brightness", kind: .integer, range: -128...127, step: 5)
    private static let wide = DeviceControl(
        id: 2, name: "wide", label: "Wide", kind: .integer64, range: Int64.min...Int64.max)
    private static let menu = DeviceControl(
        id: 3, name: "auto_exposure", label: "Auto Exposure", kind: .menu, range: 0...3,
        items: [ControlItem(number: 1, name: "Manual Mode"), ControlItem(number: 3, name: "Aperture Priority Mode")])
    private static let numbers = DeviceControl(
        id: 4, name: "link", label: "Link", kind: .integerMenu, range: 0...2,
        items: [
            ControlItem(number: 0, name: "2"), ControlItem(number: 1, name: "50"), ControlItem(number: 2, name: "80"),
        ]
    )
    private static let volume = DeviceControl(
        id: 5, name: "mic_volume", label: "Mic Volume", kind: .integer, range: 0...15,
        decibels: ControlDecibels(range: -12...33, value: 0))
    private static let text = DeviceControl(
        id: 6, name: "string", label: "String", kind: .string, range: 2...6, step: 2)
    private static let bits = DeviceControl(id: 7, name: "bits", label: "Bits", kind: .bitmask, range: 0...0x8040_2010)
    private static let mute = DeviceControl(id: 8, name: "mute", label: "Mute", kind: .boolean, range: 0...1)
    private static let button = DeviceControl(id: 9, name: "pan_reset", label: "Pan, Reset", kind: .button)

    @Test(
        "what a person writes is understood",
        arguments: [
            (brightness, "-128", ControlValue.integer(-128)), (brightness, "0x2", .integer(2)),
            (brightness, "0%", .integer(-128)), (brightness, "100%", .integer(127)), (brightness, "50%", .integer(2)),
            (wide, "-9223372036854775808", .integer(.min)), (wide, "100%", .integer(.max)),
            (wide, "99.999999999999999999%", .integer(.max)), (menu, "3", .integer(3)),
            (menu, "manual mode", .integer(1)), (menu, "aperture", .integer(3)), (numbers, "2", .integer(2)),
            (numbers, "50", .integer(1)), (volume, "-6dB", .decibels(-6)), (volume, "33 db", .decibels(33)),
            (text, "ab", .text("ab")), (bits, "0x80000010", .integer(0x8000_0010)), (mute, "on", .integer(1)),
            (mute, "FALSE", .integer(0)), (button, "press", .integer(1)),
        ])
    func understood(_ control: DeviceControl, _ text: String, _ value: ControlValue) throws {
        #expect(try control.value(parsing: text) == value)
    }

    @Test(
        "what the control does not take is refused with its range",
        arguments: [
            (brightness, "128", "-128 to 127 in steps of 5"), (brightness, "-129", "-128 to 127"),
            (brightness, "4", "next to it are 2 and 7"), (brightness, "126", "next to it are 122 and 127"),
            (brightness, "bright", "\"bright\""), (brightness, "", "-128 to 127"), (brightness, "101%", "-128 to 127"),
            (brightness, "-6dB", "-128 to 127"), (wide, "9223372036854775808", "9223372036854775807"),
            (menu, "0", "1 (Manual Mode) or 3 (Aperture Priority Mode)"), (menu, "mode", "1 (Manual Mode)"),
            (menu, "", "1 (Manual Mode)"), (numbers, "3", "0 (2), 1 (50) or 2 (80)"),
            (volume, "-12.5dB", "-12dB to 33dB"), (volume, "1e300dB", "-12dB to 33dB"), (volume, "nandB", "0 to 15"),
            (text, "a", "2 to 6 in steps of 2 bytes"), (text, "abc", "steps of 2"), (text, "abcdefgh", "2 to 6"),
            (bits, "1", "0x80402010"), (bits, "-1", "0x80402010"), (mute, "2", "on or off"),
            (button, "5", "only a press"),
        ])
    func refused(_ control: DeviceControl, _ text: String, _ words: String) {
        let error = #expect(throws: CaptureError.self) { try control.value(parsing: text) }
        #expect(error?.kind == .usage)
        #expect(error?.message.contains(control.name) == true)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test("a percentage is always a value that the control takes", arguments: [brightness, wide, volume])
    func percentages(_ control: DeviceControl) throws {
        for percent in 0...100 { try control.check(control.value(parsing: "\(percent)%")) }
    }

    @Test("the words of flags are those that are set")
    func flags() {
        let flags: ControlFlags = [.inactive, .volatile, .readOnly]
        #expect(flags.words == ["read-only", "inactive", "volatile"])
    }
}
