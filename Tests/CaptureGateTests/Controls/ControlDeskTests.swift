import Testing

@testable import CaptureGate

@Suite("control access")
struct ControlAccessTests {
    private let backend = ScriptedBackend()
    private var access: ControlAccess { ControlAccess(device: ScriptedBackend.device, backend: backend) }

    private func control(_ name: String) throws -> DeviceControl {
        try access.control(named: name, among: access.controls())
    }

    @Test("what is set is read back")
    func readBack() throws {
        let change = try access.set(try control("contrast"), to: .integer(200))
        #expect(change.isAsAsked)
        #expect(change.control.value == .integer(200))
        #expect(backend.written == ["contrast=200"])
    }

    @Test("a device that takes another value is told of")
    func rounded() throws {
        let change = try access.set(try control("contrast"), to: .integer(201))
        #expect(!change.isAsAsked)
        #expect(change.asked == .integer(201))
        #expect(change.control.value == .integer(200))
    }

    @Test("a value outside the range never reaches the device")
    func range() throws {
        let control = try control("contrast")
        let error = #expect(throws: CaptureError.self) { try access.set(control, to: .integer(256)) }
        #expect(error?.kind == .usage)
        #expect(error?.message.contains("0 to 255") == true)
        #expect(backend.written.isEmpty)
    }

    @Test("what an automatic sets is refused, with what to set first; then it can be set")
    func automatic() throws {
        let gain = try control("gain")
        let error = #expect(throws: CaptureError.self) { try access.set(gain, to: .integer(50)) }
        #expect(error?.kind == .unavailable)
        #expect(error?.remedies.first?.text == "Set gain_automatic=0 first.")
        #expect(
            error?.remedies.first?.action
                == .takeOver(control: "gain", device: "camera:scripted", automatic: "gain_automatic", manual: "0"))
        #expect(backend.written.isEmpty)
        _ = try access.set(try control("gain_automatic"), to: .integer(0))
        // The list is older: the present value counts.
        #expect(try access.set(gain, to: .integer(50)).isAsAsked)
    }

    @Test("what can only be read is refused")
    func readOnly() throws {
        let control = try control("temperature")
        let error = #expect(throws: CaptureError.self) { try access.set(control, to: .integer(5)) }
        #expect(error?.kind == .usage)
        #expect(error?.message.contains("read-only") == true)
    }

    @Test("a button is pressed, and has nothing to read back")
    func button() throws {
        #expect(try access.set(try control("pan_reset"), to: .integer(1)).isAsAsked)
        #expect(backend.written == ["pan_reset=1"])
    }

    @Test("defaults are set, also of what an automatic held that is off by default")
    func reset() throws {
        let reset = try access.reset(try access.controls())
        #expect(reset.changes.map(\.control.name) == ["gain", "gain_automatic", "contrast"])
        #expect(reset.failures.isEmpty)
        #expect(backend.values == [1: 0, 2: 100, 3: 128, 4: 7])
    }

    @Test("a value behind an automatic that is on by default is set and read back, and the automatic is on again")
    func resetBehindAutomatic() throws {
        backend.automaticDefault = 1
        let reset = try access.reset(try access.controls())
        #expect(backend.written == ["gain_automatic=0", "gain=100", "contrast=128", "gain_automatic=1"])
        #expect(reset.changes.map(\.control.value) == [.integer(100), .integer(1), .integer(128)])
        #expect(reset.changes.allSatisfy { $0.isAsAsked })
        #expect(reset.failures.isEmpty)
    }

    @Test(
        "an automatic that is off, and on by default, is switched on after the value that it will hold",
        arguments: [1, 2])
    func resetToAutomatic(first: UInt32) throws {
        backend.automaticDefault = 1
        backend.values[1] = 0
        let controls = try access.controls().filter { $0.id <= 2 }
        _ = try access.reset(first == 1 ? controls.reversed() : controls)
        #expect(backend.written == ["gain=100", "gain_automatic=1"])
    }

    @Test("a value that is reset alone leaves its automatic as it was")
    func resetAlone() throws {
        let reset = try access.reset([try control("gain")])
        #expect(backend.written == ["gain_automatic=0", "gain=100", "gain_automatic=1"])
        #expect(reset.changes.map(\.control.name) == ["gain"])
        #expect(backend.values[1] == 1)
    }

    @Test("an automatic that nobody named is told of where it does not become what it was")
    func resetAway() throws {
        backend.patience = 2
        let reset = try access.reset([try control("gain")])
        #expect(backend.written == ["gain_automatic=0", "gain=100"])
        #expect(reset.changes.map(\.control.name) == ["gain"])
        #expect(reset.failures.map(\.control.name) == ["gain_automatic"])
    }

    @Test("an automatic that stays on is told of with the value that it holds, and all else is reset")
    func resetHeld() throws {
        backend.stubborn = 1
        let reset = try access.reset(try access.controls())
        #expect(reset.changes.map(\.control.name) == ["contrast"])
        #expect(reset.failures.map(\.control.name) == ["gain", "gain_automatic"])
        #expect(reset.failures.first?.error.message.contains("until gain_automatic is 0") == true)
        #expect(backend.values == [1: 1, 2: 17, 3: 128, 4: 7])
    }

    @Test("what holds its default behind an automatic that stays on needs nothing")
    func resetNeedless() throws {
        backend.stubborn = 1
        backend.values[2] = 100
        let reset = try access.reset([try control("gain")])
        #expect(reset.changes.isEmpty && reset.failures.map(\.control.name) == [])
    }

    @Test("a device that has gone has no controls to try one after the other")
    func resetGone() throws {
        let controls = try access.controls()
        backend.fault = DeviceCallError(call: "VIDIOC_S_CTRL", errno: 19)
        let error = #expect(throws: CaptureError.self) { try access.reset(controls) }
        #expect(error?.kind == .noDevice)
    }

    @Test("a name may be written as the device says it")
    func spelling() throws {
        #expect(try control("Gain, Automatic").name == "gain_automatic")
    }

    @Test("an unknown name is answered with the nearest ones", arguments: [("contast", "contrast"), ("gai", "gain")])
    func nearest(_ name: String, _ meant: String) throws {
        let controls = try access.controls()
        let error = #expect(throws: CaptureError.self) { try access.control(named: name, among: controls) }
        #expect(error?.kind == .usage)
        #expect(error?.message.contains("Did you mean \(meant)") == true, "\(error?.message ?? "")")
    }

    @Test("what is like nothing gets no guess")
    func noGuess() throws {
        let controls = try access.controls()
        let error = #expect(throws: CaptureError.self) { try access.control(named: "zzzzzz", among: controls) }
        #expect(error?.message.contains("Did you mean") == false)
    }

    @Test(
        "what the driver says is put into words",
        arguments: [(Int32(19), CaptureError.Kind.noDevice), (16, .busy), (5, .inputOutput), (13, .notAuthorized)])
    func faults(_ errno: Int32, _ kind: CaptureError.Kind) throws {
        backend.fault = DeviceCallError(call: "VIDIOC_S_EXT_CTRLS", errno: errno)
        let control = try control("contrast")
        let error = #expect(throws: CaptureError.self) { try access.set(control, to: .integer(1)) }
        #expect(error?.kind == kind)
        #expect(error?.message.contains("VIDIOC_S_EXT_CTRLS") == true)
    }
}

@Suite("control names")
struct ControlNameTests {
    @Test(
        "are spelled as v4l2-ctl spells them",
        arguments: [
            ("Gain, Automatic", "gain_automatic"), ("U8 2x3x4x5 Array", "u8_2x3x4x5_array"), ("  Hue ", "hue"),
            ("White Balance Temperature, Auto", "white_balance_temperature_auto"), ("Schärfe", "sch_rfe"), ("--", ""),
        ])
    func spelled(_ label: String, _ name: String) {
        #expect(ControlName.spelled(label) == name)
    }

    @Test("that two controls share get numbers")
    func distinct() {
        #expect(ControlName.distinct(["gain", "hue", "gain"]) == ["gain", "hue", "gain_2"])
    }
}
