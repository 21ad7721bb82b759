import CaptureGate
import Testing

@testable import CaptureRig

/// A panel in memory. Controls behave as a good driver's do, unless a fault is set.
final class ScriptedControls: ControlPanel {
    /// What one control does otherwise.
    enum Fault: Hashable {
        /// It says that it was set, and was not.
        case forgets
        /// It refuses what its range has.
        case refuses
        /// It takes and tells any number.
        case takesAll
        /// It is set to the nearest even number.
        case rounds
        /// It can be set this number of times.
        case wearsOut(after: Int)
        /// The device goes when it is set.
        case vanishes
        /// It can't be read any more once it was set.
        case breaks
    }

    private var values: [String: ControlValue] = [:]
    private let listed: [DeviceControl]
    var faults: [String: Fault] = [:]
    private(set) var written: [String] = []
    var onWrite: () -> Void = {}

    init(_ controls: [DeviceControl]) {
        listed = controls
        for control in controls { values[control.name] = control.value }
    }

    /// A camera's usual controls: a gain that an automatic holds, a menu with a gap, and such as must be left alone.
    convenience init() {
        let number: (UInt32, String, ClosedRange<Int64>, Int64, Int64, ControlFlags) -> DeviceControl = {
            DeviceControl(
                id: $0, name: $1, label: $1, kind: .integer, range: $2, step: $3, defaultValue: $2.lowerBound,
                flags: $5, value: .integer($4))
        }
        self.init([
            DeviceControl(
                id: 1, name: "gain", label: "Gain", kind: .integer, range: 0...255, defaultValue: 100,
                value: .integer(17), automatic: AutomaticControl(name: "gain_automatic", manual: .integer(0))),
            DeviceControl(
                id: 2, name: "gain_automatic", label: "Automatic", kind: .boolean, range: 0...1, defaultValue: 1,
                value: .integer(1)),
            number(3, "contrast", -64...64, 5, 6, []),
            DeviceControl(
                id: 4, name: "frequency", label: "Frequency", kind: .menu, range: 0...3, defaultValue: 1,
                items: [0, 1, 3].map { ControlItem(number: $0, name: "\($0)") }, value: .integer(3)),
            number(5, "temperature", 0...90, 1, 40, .readOnly), number(6, "wander", 0...9, 1, 5, .volatile),
            DeviceControl(id: 7, name: "pan_reset", label: "Reset", kind: .button, flags: .writeOnly),
            DeviceControl(
                id: 8, name: "title", label: "Title", kind: .string, range: 2...8, step: 2, value: .text("ab")),
            DeviceControl(
                id: 9, name: "mask", label: "Mask", kind: .bitmask, range: 0...0xF0, defaultValue: 0x10,
                value: .integer(0x30)),
        ])
    }

    func controls() throws(CaptureError) -> [DeviceControl] {
        try listed.map { (one) throws(CaptureError) in try read(one) }
    }

    func read(_ control: DeviceControl) throws(CaptureError) -> DeviceControl {
        let isHeld = control.automatic.map { values[$0.name] != $0.manual } ?? false
        if faults[control.name] == .breaks, written.contains(where: { $0.hasPrefix(control.name + "=") }) {
            throw CaptureError(.inputOutput, "It can't be read.")
        }
        return DeviceControl(
            id: control.id, name: control.name, label: control.label, kind: control.kind, range: control.range,
            step: control.step, defaultValue: control.defaultValue,
            flags: isHeld ? control.flags.union(.inactive) : control.flags.subtracting(.inactive),
            items: control.items,
            value: control.name == "wander" ? .integer(Int64(written.count) % 9) : values[control.name],
            automatic: control.automatic)
    }

    func write(_ value: ControlValue, to control: DeviceControl) throws(CaptureError) {
        onWrite()
        let times = written.count { $0.hasPrefix(control.name + "=") }
        written.append("\(control.name)=\(value.text)")
        let refused = CaptureError(.unavailable, "VIDIOC_S_CTRL: Invalid argument")
        switch faults[control.name] {
        case .forgets, .breaks: break
        case .refuses: throw refused
        case .takesAll: values[control.name] = value
        case .rounds:
            if case .integer(let number) = value { values[control.name] = .integer(number / 2 * 2) }
        case .wearsOut(let most):
            if times >= most { throw refused }
            values[control.name] = value
        case .vanishes: throw CaptureError(.noDevice, "It has gone.")
        case nil:
            guard case .integer(let number) = value, control.kind != .bitmask else {
                values[control.name] = value
                return
            }
            let isOfMenu = control.kind != .menu || control.items.contains { $0.number == number }
            guard control.range.contains(number), isOfMenu else { throw refused }
            values[control.name] = value
        }
    }

    var now: [String: ControlValue] { values.filter { $0.key != "wander" } }
}

/// Verdicts of findings by the catalogue's limits, by the measure's name.
func verdicts(_ findings: CheckFindings, of check: String, limits: [String: Limit] = [:]) throws -> [String: Verdict] {
    let definition = try #require(CheckCatalogue.check(check))
    let own = definition.measures.compactMap { measure in measure.bench.map { (measure.name, $0) } }
    let measures = findings.measures(of: definition, limits: Dictionary(own) { $1 }.merging(limits) { $1 })
    return Dictionary(measures.map { ($0.name, $0.verdict) }) { $1 }
}

@Suite("Checks of controls")
struct ControlCheckTests {
    private func findings(_ panel: ScriptedControls) throws -> CheckFindings {
        var trials = ControlTrials()
        try trials.run(on: panel)
        return trials.findings
    }

    @Test("Controls that keep their ranges pass, also one that an automatic holds, and all are as before")
    func good() throws {
        for _ in Extent.seeds {
            let panel = ScriptedControls()
            let before = panel.now
            let findings = try findings(panel)
            #expect(findings.message == nil)
            #expect(
                try verdicts(findings, of: "camera.controls") == [
                    "controls": .done, "wrong": .pass, "left_changed": .pass,
                ])
            #expect(findings.measures.value("controls") == 7)
            #expect(panel.now == before)
        }
    }

    @Test("The ends of each range, the standard value and each item are written, and a number beyond on each side")
    func values() throws {
        let panel = ScriptedControls()
        _ = try findings(panel)
        let all = Set(panel.written)
        let wanted = [
            "gain=0", "gain=255", "gain=100", "gain=-1", "gain=256", "contrast=-64", "contrast=61", "contrast=65",
            "frequency=0", "frequency=1", "frequency=3", "frequency=2", "frequency=4", "title=AA", "title=AAAAAAAA",
            "mask=0", "mask=240",
        ]
        #expect(all.isSuperset(of: wanted), "\(all.sorted())")
        #expect(!panel.written.contains { $0.hasPrefix("pan_reset") || $0.hasPrefix("temperature") })
    }

    @Test(
        "A control that does otherwise is named with what was set and read",
        arguments: [
            ("gain", ScriptedControls.Fault.forgets, "gain: set to 0, but 17 was read"),
            ("frequency", .refuses, "frequency: 0 was refused: VIDIOC_S_CTRL: Invalid argument"),
            ("contrast", .rounds, "contrast: set to 61, but 60 was read"),
            ("gain", .takesAll, "gain: -1 was accepted and -1 was read, but the range is 0 to 255"),
            (
                "frequency", .takesAll,
                "frequency: -1 was accepted and -1 was read, but the range is 0 (0), 1 (1) or 3 (3)"
            ),
        ])
    func faulty(name: String, fault: ScriptedControls.Fault, message: String) throws {
        let panel = ScriptedControls()
        panel.faults[name] = fault
        let findings = try findings(panel)
        #expect(findings.message == message + ".")
        #expect(try verdicts(findings, of: "camera.controls")["wrong"] == .fail)
        #expect(findings.measures.value("wrong") == 1)
    }

    @Test("A control that can't be set back is told with its former value")
    func left() throws {
        let panel = ScriptedControls()
        panel.faults["mask"] = .wearsOut(after: 3)
        let findings = try findings(panel)
        #expect(findings.message == "mask: 48 before.")
        #expect(
            try verdicts(findings, of: "camera.controls") == [
                "controls": .done, "wrong": .pass, "left_changed": .fail,
            ])
    }

    @Test("Of many wrong controls the first three are named, and the number of the others")
    func many() throws {
        let panel = ScriptedControls(
            (1...5 as ClosedRange<UInt32>).map {
                DeviceControl(
                    id: $0, name: "c\($0)", label: "", kind: .integer, range: 0...9, value: .integer(4))
            })
        for number in 1...5 { panel.faults["c\(number)"] = .forgets }
        let message = try #require(try findings(panel).message)
        #expect(message.hasPrefix("c1: set to 0, but 4 was read; c2: ") && message.hasSuffix("; and 2 more."))
    }

    @Test("Controls are set back also after an error, and where the plan is interrupted")
    func interrupted() async throws {
        let broken = ScriptedControls()
        broken.faults["title"] = .breaks
        let before = broken.now
        #expect(throws: CaptureError(.inputOutput, "It can't be read.")) { try findings(broken) }
        #expect(broken.now == before)

        let isAsBefore = await Task {
            let panel = ScriptedControls()
            let before = panel.now
            panel.onWrite = { withUnsafeCurrentTask { $0?.cancel() } }
            var trials = ControlTrials()
            let error = #expect(throws: CaptureError.self) { try trials.run(on: panel) }
            return error?.kind == .cancelled && panel.now == before && !panel.written.isEmpty
        }.value
        #expect(isAsBefore)
    }

    @Test("A device that goes while it is tried fails, since it was there before")
    func vanishing() {
        let panel = ScriptedControls()
        panel.faults["contrast"] = .vanishes
        let error = #expect(throws: CaptureError.self) { try findings(panel) }
        #expect(error?.kind == .deviceGone)
    }

    @Test("A device without a control is skipped, and no pass", arguments: ["camera.controls", "sound.controls"])
    func none(check: String) async throws {
        let result = try await VirtualRig.result(check)
        #expect(result.verdict == .skip)
        #expect(result.message?.hasSuffix("has no control that can be tested.") == true)
    }
}
