import CaptureGate

extension CheckMakers {
    /// Checks of controls.
    static let control: [String: Maker] = ["camera.controls": controls, "sound.controls": controls]

    private static func controls(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let operation = DeviceOperation(try context.device(), purpose: "Test its controls, and restore them") {
            (permit: consuming DevicePermit) async throws(CaptureError) in
            let session = try await ControlSession(opening: permit)
            var trials = ControlTrials()
            var failure: CaptureError?
            do throws(CaptureError) { try trials.run(on: session) } catch { failure = error }
            await session.close(failure?.message ?? "\(trials.tried) controls tested and restored")
            if let failure { throw failure }
            return trials.findings
        }
        let findings = try await context.queue.run(operation)
        if findings.measures.isEmpty {
            return .skipped("\(try context.device().id) has no control that can be tested.")
        }
        return findings
    }
}

extension ControlTrials {
    /// Empty if there was no control to try.
    var findings: CheckFindings {
        guard tried > 0 else { return CheckFindings() }
        let named = mistakes + left
        let words = named.prefix(3).map { "\($0.control): \($0.text)" }
        let more = named.count > words.count ? "; and \(named.count - words.count) more" : ""
        return CheckFindings(
            [
                Measure("controls", Double(tried), "controls", .higher),
                Measure("wrong", Double(mistakes.count), "controls", .lower),
                Measure("left_changed", Double(left.count), "controls", .lower),
            ],
            message: named.isEmpty ? nil : words.joined(separator: "; ") + more + ".")
    }
}

/// Open controls of a device, which does not check written values: the device itself has to answer.
///
/// *session-bound*
package protocol ControlPanel: ~Copyable {
    /// All controls with their present values, in the device's order.
    func controls() throws(CaptureError) -> [DeviceControl]
    /// The same control with its present value, range and flags.
    func read(_ control: DeviceControl) throws(CaptureError) -> DeviceControl
    /// Writes a value, also one out of range.
    func write(_ value: ControlValue, to control: DeviceControl) throws(CaptureError)
}

extension ControlSession: ControlPanel {}

/// Trials of a device's controls, one after another; each is set back at once, and all are checked again in the end.
///
/// Buttons, values of many parts and controls that can only be read or only be written are not tried. A control with an automatic
/// mode is tried with that mode switched off. A control that stays inactive, or that the device changes by itself, has no stable
/// value to compare.
///
/// *session-bound*
struct ControlTrials {
    /// Number of controls that were tried.
    private(set) var tried = 0
    /// Controls that did otherwise, each with its first mistake.
    private(set) var mistakes: [(control: String, text: String)] = []
    /// Controls that have not their former value, with that value.
    private(set) var left: [(control: String, text: String)] = []

    /// Tries all controls. They are set back also after an error and after a cancellation of the task.
    ///
    /// - Throws: if the device or the permission goes, and `.cancelled`.
    mutating func run(on panel: borrowing some ControlPanel & ~Copyable) throws(CaptureError) {
        let former = try panel.controls()
        var failure: CaptureError?
        do throws(CaptureError) {
            for control in former {
                try CaptureError.checkInterruption()
                try tryOut(control, on: panel)
            }
        } catch {
            failure = error
        }
        restore(former, on: panel)
        if let failure { throw failure }
    }

    private mutating func tryOut(
        _ listed: DeviceControl, on panel: borrowing some ControlPanel & ~Copyable
    ) throws(CaptureError) {
        guard listed.hasOwnValue else { return }
        let automatic = try switchedOff(listed, on: panel)
        let control = try panel.read(listed)
        if !control.isHeld {
            tried += 1
            for value in control.trialValues { try expect(value, of: control, on: panel) }
            for value in control.valuesBeyond { try expectLimit(value, of: control, on: panel) }
            if let value = control.value { _ = try refusal(of: value, by: control, on: panel) }
        }
        if let automatic, let value = automatic.value { _ = try refusal(of: value, by: automatic, on: panel) }
    }

    /// Switches the automatic mode of a control off.
    ///
    /// - Returns: the automatic control as it was; `nil` if none exists.
    private func switchedOff(
        _ control: DeviceControl, on panel: borrowing some ControlPanel & ~Copyable
    ) throws(CaptureError) -> DeviceControl? {
        guard control.flags.contains(.inactive), let pair = control.automatic,
            let automatic = try panel.controls().first(where: { $0.name == pair.name }), automatic.hasOwnValue
        else { return nil }
        _ = try refusal(of: pair.manual, by: automatic, on: panel)
        return automatic
    }

    /// A value of the range must be accepted, and be read as it was set.
    private mutating func expect(
        _ value: ControlValue, of control: DeviceControl, on panel: borrowing some ControlPanel & ~Copyable
    ) throws(CaptureError) {
        if let refusal = try refusal(of: value, by: control, on: panel) {
            return note(control, "\(value.text) was refused: \(refusal.message)")
        }
        let now = try panel.read(control)
        guard !now.isHeld, !now.flags.contains(.volatile), now.value != value else { return }
        note(control, "set to \(value.text), but \(now.value?.text ?? "nothing") was read")
    }

    /// A value beyond the range must be refused, or become one that is in it.
    private mutating func expectLimit(
        _ value: ControlValue, of control: DeviceControl, on panel: borrowing some ControlPanel & ~Copyable
    ) throws(CaptureError) {
        if try refusal(of: value, by: control, on: panel) != nil { return }
        let now = try panel.read(control)
        guard !now.isHeld, !now.flags.contains(.volatile), case .integer(let number)? = now.value, !now.has(number)
        else { return }
        note(control, "\(value.text) was accepted and \(number) was read, but the range is \(now.rangeDescription)")
    }

    private mutating func note(_ control: DeviceControl, _ text: String) {
        if mistakes.last?.control != control.name { mistakes.append((control.name, text)) }
    }

    // MARK: Setting back

    /// Twice if necessary: the automatic control of a control may come after it.
    private mutating func restore(_ former: [DeviceControl], on panel: borrowing some ControlPanel & ~Copyable) {
        for _ in 0..<2 {
            for control in former where Self.isChanged(control, on: panel) {
                if let value = control.value { try? panel.write(value, to: control) }
            }
        }
        for control in former where Self.isChanged(control, on: panel) {
            left.append((control.name, "\(control.value?.text ?? "nothing") before"))
        }
    }

    /// - Returns: false for a control whose value the device chooses, before or now.
    private static func isChanged(
        _ former: DeviceControl, on panel: borrowing some ControlPanel & ~Copyable
    ) -> Bool {
        guard former.hasOwnValue, !former.isHeld, !former.flags.contains(.volatile), let now = try? panel.read(former)
        else { return false }
        return now.value != former.value && !now.flags.contains(.volatile)
    }

    /// - Returns: the device's own refusal; `nil` if it took the value.
    /// - Throws: if the device or the permission has gone, so that nothing can be tried any more.
    private func refusal(
        of value: ControlValue, by control: DeviceControl, on panel: borrowing some ControlPanel & ~Copyable
    ) throws(CaptureError) -> CaptureError? {
        do throws(CaptureError) {
            try panel.write(value, to: control)
            return nil
        } catch {
            switch error.kind {
            case .noDevice: throw CaptureError(.deviceGone, error.message, errno: error.errno)
            case .deviceGone, .revoked, .expired, .notAuthorized: throw error
            default: return error
            }
        }
    }
}

extension DeviceControl {
    /// True for a control whose value can be read and set.
    fileprivate var hasOwnValue: Bool {
        kind != .button && kind != .compound && flags.isDisjoint(with: [.readOnly, .writeOnly]) && value != nil
    }

    /// True if other controls, or a capture, keep it from being set.
    fileprivate var isHeld: Bool { !flags.isDisjoint(with: [.inactive, .grabbed]) }

    /// The ends of the range, the standard value, and all items of a menu.
    fileprivate var trialValues: [ControlValue] {
        var numbers: [Int64]
        switch kind {
        case .boolean: numbers = [0, 1]
        case .menu, .integerMenu: numbers = items.map(\.number)
        case .bitmask: numbers = [0, range.upperBound]
        case .integer, .integer64: numbers = [range.lowerBound, highest]
        case .string:
            return [range.lowerBound, highest].map {
                .text(String(repeating: "A", count: Int(min(max($0, 0), 65_535))))
            }
        case .button, .compound: return []
        }
        if let defaultValue { numbers.append(defaultValue) }
        return numbers.map { .integer($0) }
    }

    /// Numbers on both sides of the range, and the first one that a menu omits.
    fileprivate var valuesBeyond: [ControlValue] {
        let ends = [range.lowerBound.subtractingReportingOverflow(1), range.upperBound.addingReportingOverflow(1)]
        var numbers = ends.filter { !$0.overflow }.map(\.partialValue)
        switch kind {
        case .menu, .integerMenu:
            numbers += range.lazy.filter { number in !items.contains { $0.number == number } }.prefix(1)
        case .integer, .boolean, .integer64: break
        case .bitmask, .string, .button, .compound: return []
        }
        // What 32 bits do not hold would reach the driver as another number.
        if kind != .integer64 { numbers.removeAll { Int32(exactly: $0) == nil } }
        return numbers.map { .integer($0) }
    }

    /// The highest value on a step.
    private var highest: Int64 {
        let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        return range.lowerBound &+ Int64(bitPattern: span / UInt64(step) * UInt64(step))
    }

    /// True for a number that the control may have.
    fileprivate func has(_ number: Int64) -> Bool {
        kind == .menu || kind == .integerMenu ? items.contains { $0.number == number } : range.contains(number)
    }
}
