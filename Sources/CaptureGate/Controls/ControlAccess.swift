import Gate

/// Reads and sets controls by their names, and refuses before the device does.
struct ControlAccess {
    let device: Device
    let backend: any ControlBackend

    func controls() throws(CaptureError) -> [DeviceControl] {
        try translatingErrors { () throws(DeviceCallError) in try backend.controls() }
    }

    /// - Throws: `.usage` with the names that may have been meant.
    func control(named name: String, among controls: [DeviceControl]) throws(CaptureError) -> DeviceControl {
        let spelled = ControlName.spelled(name)
        if let control = controls.first(where: { $0.name == spelled }) { return control }
        throw unknown(name, controls)
    }

    /// The same control as it is now.
    func read(_ control: DeviceControl) throws(CaptureError) -> DeviceControl {
        try translatingErrors { () throws(DeviceCallError) in try backend.read(control) }
    }

    /// Sets a control and reads it back.
    func set(_ control: DeviceControl, to value: ControlValue) throws(CaptureError) -> ControlChange {
        do { try control.check(value) } catch { throw refused(error) }
        // Another control may have been set since the list was made.
        let now = try read(control)
        try now.checkSettable(on: device)
        let meant = try translatingErrors { () throws(DeviceCallError) in try backend.write(value, to: now) }
        let after = try read(now)
        let isReadable = after.value != nil && now.kind != .button
        return ControlChange(asked: value, control: after, isAsAsked: !isReadable || after.value == meant)
    }

    private func unknown(_ name: String, _ controls: [DeviceControl]) -> CaptureError {
        let named = "\(QuestionText.visible(device.name)) [\(device.id)]"
        guard !controls.isEmpty else { return CaptureError(.usage, "\(named) has no controls.") }
        let near = ControlName.nearest(to: name, among: controls.map(\.name))
        let guess = near.isEmpty ? "" : " Did you mean \(DeviceControl.alternatives(near))?"
        return CaptureError(
            .usage, "\(named) has no control \"\(QuestionText.visible(name))\".\(guess)",
            remedies: [Remedy("See which it has.", command: "capturegate controls \(device.id)")])
    }

    /// The same, with where to see what it takes.
    private func refused(_ error: CaptureError) -> CaptureError {
        CaptureError(
            error.kind, error.message,
            remedies: [Remedy("See what it takes.", command: "capturegate controls \(device.id)")])
    }

    private func translatingErrors<Value>(_ body: () throws(DeviceCallError) -> Value) throws(CaptureError) -> Value {
        do { return try body() } catch { throw error.error(device) }
    }
}

extension ControlAccess {
    /// Sets to its default what has one.
    ///
    /// While an automatic is on, the values that it sets can't be set by hand, and what they were set to before stays
    /// inside for the day that it is switched off. So those automatics are switched to manual first, and only after the
    /// values go to their own defaults, or back to what they were where they are not to be reset.
    ///
    /// - Throws: where the device has gone; what else stands in the way of one control is told of it.
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
        // What decided over it may have been set after it.
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

    private enum Outcome {
        case set(ControlChange)
        /// It has its default, and could not be set to anything.
        case asItWas
        case inactive(CaptureError)
        case failed(CaptureError)

        var isInactive: Bool { if case .inactive = self { true } else { false } }
    }

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

    /// The automatics of the controls, and what each is to become at last; manual from here on, as far as they can be,
    /// where they hold one of them now.
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
            // Where it does not become manual, what it holds says so.
            if let manual = held?.automatic?.manual { _ = try attempt(control, manual) }
            automatics.append((control, next))
        }
        return automatics
    }

    /// Whether it is what it was to become. Of an automatic that nobody named, what became of it is told of otherwise alone.
    private func has(_ automatic: DeviceControl, _ next: Int64) -> Bool {
        (try? read(automatic))?.value == .integer(next)
    }

    /// Its default where that is wanted, else what it is.
    private func next(_ automatic: DeviceControl, _ wanted: [DeviceControl]) -> Int64? {
        if wanted.contains(where: { $0.name == automatic.name }) { return automatic.defaultValue }
        if case .integer(let number)? = automatic.value { return number }
        return nil
    }

    // MARK: One control

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

    /// What has gone has no other controls either.
    private func failed(_ error: CaptureError) throws(CaptureError) -> Outcome {
        if error.kind == .noDevice { throw error }
        return .failed(error)
    }
}
