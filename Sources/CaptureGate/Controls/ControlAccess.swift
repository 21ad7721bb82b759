import Gate

/// Access to a device's controls by name, which refuses a value before the device does.
///
/// A driver answers a wrong value with EINVAL or ERANGE, or silently takes the nearest one; a check beforehand can name
/// the range.
///
/// *session-bound*
struct ControlAccess {
    let device: Device
    let backend: any ControlBackend

    /// All controls in the device's order, with their present values.
    func controls() throws(CaptureError) -> [DeviceControl] {
        try translatingErrors { () throws(DeviceCallError) in try backend.controls() }
    }

    /// Control of a name, in any spelling that `v4l2-ctl` would reduce to it.
    ///
    /// - Throws: `.usage` with the names that may have been meant.
    func control(named name: String, among controls: [DeviceControl]) throws(CaptureError) -> DeviceControl {
        let spelled = ControlName.spelled(name)
        if let control = controls.first(where: { $0.name == spelled }) { return control }
        throw unknown(name, controls)
    }

    /// The same control with its present value, range and flags.
    func read(_ control: DeviceControl) throws(CaptureError) -> DeviceControl {
        try translatingErrors { () throws(DeviceCallError) in try backend.read(control) }
    }

    /// Sets a control and reads it back.
    ///
    /// - Throws: `.usage`, `.unavailable` or `.busy` before anything is written; then what the device answers.
    func set(_ control: DeviceControl, to value: ControlValue) throws(CaptureError) -> ControlChange {
        do { try control.check(value) } catch { throw refused(error) }
        // Another control may have been set since the list was made, which changes flags and ranges.
        let now = try read(control)
        try now.checkSettable(on: device)
        let meant = try translatingErrors { () throws(DeviceCallError) in try backend.write(value, to: now) }
        let after = try read(now)
        let isReadable = after.value != nil && now.kind != .button
        return ControlChange(asked: value, control: after, isAsAsked: !isReadable || after.value == meant)
    }

    /// Writes a value that was not checked.
    func write(_ value: ControlValue, to control: DeviceControl) throws(CaptureError) {
        _ = try translatingErrors { () throws(DeviceCallError) in try backend.write(value, to: control) }
    }

    /// Error for a name that no control has.
    private func unknown(_ name: String, _ controls: [DeviceControl]) -> CaptureError {
        let named = "\(QuestionText.visible(device.name)) [\(device.id)]"
        guard !controls.isEmpty else { return CaptureError(.usage, "\(named) has no controls.") }
        let near = ControlName.nearest(to: name, among: controls.map(\.name))
        let guess = near.isEmpty ? "" : " Did you mean \(DeviceControl.alternatives(near))?"
        return CaptureError(
            .usage, "\(named) has no control \"\(QuestionText.visible(name))\".\(guess)",
            remedies: [Remedy("List its controls.", .showControls(device: device.id.rawValue))])
    }

    /// The same error with the command that shows the control's range.
    private func refused(_ error: CaptureError) -> CaptureError {
        CaptureError(
            error.kind, error.message,
            remedies: [Remedy("See its valid values.", .showControls(device: device.id.rawValue))])
    }

    /// Names the device in the errors of its calls.
    private func translatingErrors<Value>(_ body: () throws(DeviceCallError) -> Value) throws(CaptureError) -> Value {
        do { return try body() } catch { throw error.error(device) }
    }
}

extension ControlAccess {
    /// Sets controls to their defaults; those without a default stay unchanged.
    ///
    /// While an automatic mode is on, the values that it controls can't be set, and the device keeps the earlier values for when
    /// it is switched off. So those automatic modes are switched to manual first. After the values have been set, each automatic
    /// control gets its own default, or its former value if it is not to be reset.
    ///
    /// - Throws: if the device has gone or can't list its controls; any other error of one control becomes that
    ///   control's failure.
    func reset(_ controls: [DeviceControl]) throws(CaptureError) -> ControlReset {
        let wanted = controls.filter { $0.defaultValue != nil && !$0.flags.contains(.readOnly) }
        let automatics = try switchedOff(before: wanted)
        let names = Set(automatics.map(\.control.name))
        var outcomes: [String: Outcome] = [:]
        for control in wanted where !names.contains(control.name) {
            outcomes[control.name] = try outcome(of: control)
        }
        for automatic in automatics {
            outcomes[automatic.control.name] = try attempt(automatic.control, automatic.next)
        }
        // The control that decides over it may have been set after it.
        for control in wanted where outcomes[control.name]?.isInactive == true {
            outcomes[control.name] = try outcome(of: control)
        }
        var reset = reset(wanted, outcomes)
        let wantedNames = Set(wanted.map(\.name))
        let others = automatics.filter { !wantedNames.contains($0.control.name) && !has($0.control, $0.next) }
        let changed = self.reset(others.map(\.control), outcomes)
        reset.changes += changed.changes
        reset.failures += changed.failures
        return reset
    }

    /// Outcome of one control.
    private enum Outcome {
        case set(ControlChange)
        /// It has its default already, or has none.
        case asItWas
        /// Another control decides over it.
        case inactive(CaptureError)
        case failed(CaptureError)

        var isInactive: Bool { if case .inactive = self { true } else { false } }
    }

    /// Sorts outcomes into changes and failures.
    private func reset(_ wanted: [DeviceControl], _ outcomes: [String: Outcome]) -> ControlReset {
        var reset = ControlReset()
        for control in wanted {
            switch outcomes[control.name] {
            case .set(let change): reset.changes.append(change)
            case .inactive(let error), .failed(let error):
                reset.failures.append(ControlReset.Failure(control: control, error: error))
            case .asItWas, nil: break
            }
        }
        return reset
    }

    // MARK: Automatics

    /// Switches those automatics to manual that now hold one of the controls.
    ///
    /// - Returns: all automatics of the controls, with the setting that each gets in the end.
    private func switchedOff(
        before wanted: [DeviceControl]
    ) throws(CaptureError) -> [(control: DeviceControl, next: Int64)] {
        let names = Set(wanted.map(\.name))
        let all = try controls()
        var automatics: [(control: DeviceControl, next: Int64)] = []
        for control in all {
            let values = all.filter { names.contains($0.name) && $0.automatic?.name == control.name }
            let held = values.first { $0.flags.contains(.inactive) }
            guard held != nil || !values.isEmpty && names.contains(control.name), let next = next(control, wanted)
            else { continue }
            // An automatic that does not become manual shows at the values it holds.
            if let manual = held?.automatic?.manual { _ = try attempt(control, manual) }
            automatics.append((control, next))
        }
        return automatics
    }

    /// True if an automatic has its final setting. One that nobody named is reported only if it has not.
    private func has(_ automatic: DeviceControl, _ next: Int64) -> Bool {
        (try? read(automatic))?.value == .integer(next)
    }

    /// Final setting of an automatic control: its default if that is requested, otherwise its present one.
    private func next(_ automatic: DeviceControl, _ wanted: [DeviceControl]) -> Int64? {
        if wanted.contains(where: { $0.name == automatic.name }) { return automatic.defaultValue }
        if case .integer(let number)? = automatic.value { return number }
        return nil
    }

    // MARK: One control

    /// Sets one control to its default unless it is inactive.
    private func outcome(of control: DeviceControl) throws(CaptureError) -> Outcome {
        guard let value = control.defaultValue else { return .asItWas }
        let now: DeviceControl
        do throws(CaptureError) { now = try read(control) } catch { return try failed(error) }
        guard now.flags.contains(.inactive) else { return try attempt(control, value) }
        if now.value == .integer(value) { return .asItWas }
        do throws(CaptureError) { try now.checkSettable(on: device) } catch { return .inactive(error) }
        return .asItWas
    }

    private func attempt(_ control: DeviceControl, _ number: Int64) throws(CaptureError) -> Outcome {
        try attempt(control, .integer(number))
    }

    private func attempt(_ control: DeviceControl, _ value: ControlValue) throws(CaptureError) -> Outcome {
        do throws(CaptureError) { return .set(try set(control, to: value)) } catch { return try failed(error) }
    }

    /// Ends the reset where the device has gone: its other controls have gone with it.
    private func failed(_ error: CaptureError) throws(CaptureError) -> Outcome {
        if error.kind == .noDevice { throw error }
        return .failed(error)
    }
}
