import CaptureBase

extension DeviceControl {
    /// Refuses what is outside the range, off the step or not in the menu.
    ///
    /// - Throws: `.usage`, with the range.
    public func check(_ value: ControlValue) throws(CaptureError) {
        switch value {
        case .integer(let number): try check(number)
        case .text(let text): try check(text)
        case .decibels(let level):
            guard let decibels else { throw refusal(of: Self.decibels(level)) }
            // As they are shown: with two digits.
            let rounded = (level * 100).rounded() / 100
            guard decibels.range.contains(rounded) else { throw refusal(of: Self.decibels(level)) }
        }
    }

    private func check(_ number: Int64) throws(CaptureError) {
        let isRight: Bool
        switch kind {
        case .button: isRight = true
        case .string, .compound: isRight = false
        case .boolean: isRight = (0...1).contains(number)
        case .menu, .integerMenu: isRight = items.contains { $0.number == number }
        case .bitmask: isRight = number & ~range.upperBound == 0
        case .integer, .integer64: isRight = range.contains(number) && isOnStep(number)
        }
        guard isRight else { throw refusal(of: "\(number)", nearby: neighbours(of: number)) }
    }

    private func check(_ text: String) throws(CaptureError) {
        let count = Int64(text.utf8.count)
        guard kind == .string, range.contains(count), isOnStep(count), !text.utf8.contains(0) else {
            throw refusal(of: "\"\(QuestionText.visible(text))\"")
        }
    }

    private func isOnStep(_ number: Int64) -> Bool { stepsBelow(number).isMultiple(of: UInt64(step)) }

    /// 64 bits hold any difference where the sign is left out.
    private func stepsBelow(_ number: Int64) -> UInt64 { UInt64(bitPattern: number &- range.lowerBound) }

    private func neighbours(of number: Int64) -> String {
        guard kind == .integer || kind == .integer64, range.contains(number) else { return "" }
        let lower = number &- Int64(bitPattern: stepsBelow(number) % UInt64(step))
        let (upper, overflows) = lower.addingReportingOverflow(step)
        return !overflows && range.contains(upper) ? "; next to it are \(lower) and \(upper)" : "; try \(lower)"
    }

    func refusal(of text: String, nearby: String = "") -> CaptureError {
        CaptureError(.usage, "\(name) can't be \(text): it takes \(rangeDescription)\(nearby).")
    }

    /// Refuses what can't be set now, whatever the value is.
    ///
    /// - Throws: `.usage` for what can never be set, `.unavailable` for what can't as other controls stand, with what to
    ///   do, `.busy` for what can't while the device captures.
    func checkSettable(on device: Device) throws(CaptureError) {
        if kind == .compound {
            throw CaptureError(.usage, "\(name) is a value of many parts, which can't be set here.")
        }
        if flags.contains(.readOnly) {
            throw CaptureError(.usage, "\(name) can only be read: the device sets it by itself.")
        }
        if flags.contains(.inactive) { throw inactivity(on: device) }
        if flags.contains(.grabbed) {
            throw CaptureError(
                .busy, "\(name) can't be set while the device captures.",
                remedies: [Remedy("End the recording that runs, then set it.", command: "capturegate status")])
        }
    }

    private func inactivity(on device: Device) -> CaptureError {
        guard let automatic else {
            return CaptureError(
                .unavailable, "\(name) has no effect as the other controls stand now.",
                remedies: [
                    Remedy(
                        "See which control decides that, and set it first.",
                        command: "capturegate controls \(device.id)")
                ])
        }
        let manual = automatic.manual.text
        return CaptureError(
            .unavailable, "\(name) is set by the device itself while \(automatic.name) is not \(manual).",
            remedies: [
                Remedy(
                    "Set \(automatic.name)=\(manual) first.",
                    command: "capturegate controls \(device.id) \(automatic.name)=\(manual) \(name)=VALUE")
            ])
    }
}

extension ControlValue {
    /// As it is written on the command line.
    public var text: String {
        switch self {
        case .integer(let number): String(number)
        case .text(let text): text
        case .decibels(let level): DeviceControl.decibels(level)
        }
    }
}
