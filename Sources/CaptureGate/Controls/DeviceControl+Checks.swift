import CaptureBase

extension DeviceControl {
    /// Values that it takes, in words: `0 to 255 in steps of 5`, `0 (Disabled) or 1 (50 Hz)`.
    public var rangeDescription: String {
        switch kind {
        case .button: "no value, only a press"
        case .compound: "a compound value"
        case .boolean: "on or off"
        case .menu, .integerMenu: Self.alternatives(items.map { "\($0.number) (\(QuestionText.visible($0.name)))" })
        case .string: "a text of \(numbers) bytes"
        case .bitmask: "bits of 0x\(String(UInt64(bitPattern: range.upperBound), radix: 16))"
        case .integer, .integer64: numbers + scale
        }
    }

    /// Range in numbers, with the step if it is not 1.
    private var numbers: String {
        let ends =
            range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        return step == 1 ? ends : "\(ends) in steps of \(step)"
    }

    /// Range in decibels, if there is one.
    private var scale: String {
        decibels.map { ", or \(Self.decibels($0.range.lowerBound)) to \(Self.decibels($0.range.upperBound))" } ?? ""
    }

    /// Level with two decimals at most: `-12.5dB`. Written by hand, since `String(format:)` would need Foundation.
    static func decibels(_ value: Double) -> String {
        // A conversion to Int64 traps beyond its range.
        guard abs(value) < 1e9 else { return "\(value)dB" }
        let hundredths = Int64((value * 100).rounded())
        let (whole, rest) = (abs(hundredths) / 100, abs(hundredths) % 100)
        var fraction = rest < 10 ? "0\(rest)" : "\(rest)"
        while fraction.last == "0" { fraction.removeLast() }
        return (hundredths < 0 ? "-" : "") + "\(whole)" + (fraction.isEmpty ? "" : ".\(fraction)") + "dB"
    }

    /// Joins words: `a, b or c`.
    static func alternatives(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.last ?? "nothing" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}

extension DeviceControl {
    /// Refuses a value that is outside the range, between two steps or not in the menu.
    ///
    /// - Throws: `.usage`, with the range.
    public func check(_ value: ControlValue) throws(CaptureError) {
        switch value {
        case .integer(let number): try check(number)
        case .text(let text): try check(text)
        case .decibels(let level):
            guard let decibels else { throw refusal(of: Self.decibels(level)) }
            // Compared as it is shown, with two digits: a level copied from a listing must be accepted.
            let rounded = (level * 100).rounded() / 100
            guard decibels.range.contains(rounded) else { throw refusal(of: Self.decibels(level)) }
        }
    }

    /// Checks a number by the control's kind.
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

    /// Checks a text by its bytes, which is how V4L2 counts; a zero would end it early.
    private func check(_ text: String) throws(CaptureError) {
        let count = Int64(text.utf8.count)
        guard kind == .string, range.contains(count), isOnStep(count), !text.utf8.contains(0) else {
            throw refusal(of: "\"\(QuestionText.visible(text))\"")
        }
    }

    /// True for a value that the device can hold.
    private func isOnStep(_ number: Int64) -> Bool { stepsBelow(number).isMultiple(of: UInt64(step)) }

    /// Distance from the lowest value. 64 bits hold any difference if the sign is dropped; a signed one would overflow.
    private func stepsBelow(_ number: Int64) -> UInt64 { UInt64(bitPattern: number &- range.lowerBound) }

    /// Suggests the values on either side of one between two steps.
    private func neighbours(of number: Int64) -> String {
        guard kind == .integer || kind == .integer64, range.contains(number) else { return "" }
        let lower = number &- Int64(bitPattern: stepsBelow(number) % UInt64(step))
        let (upper, overflows) = lower.addingReportingOverflow(step)
        return !overflows && range.contains(upper) ? "; next to it are \(lower) and \(upper)" : "; try \(lower)"
    }

    /// Error that names the range.
    func refusal(of text: String, nearby: String = "") -> CaptureError {
        CaptureError(.usage, "\(name) can't be \(text): it takes \(rangeDescription)\(nearby).")
    }

    /// Refuses a control that can't be set now, whatever the value.
    ///
    /// - Throws: `.usage` for what can never be set, `.unavailable` with a remedy where other controls prevent it,
    ///   `.busy` for what can't be set while the device captures.
    func checkSettable(on device: Device) throws(CaptureError) {
        if kind == .compound {
            throw CaptureError(.usage, "\(name) is a compound value, which can't be set.")
        }
        if flags.contains(.readOnly) {
            throw CaptureError(.usage, "\(name) is read-only.")
        }
        if flags.contains(.inactive) { throw inactivity(on: device) }
        if flags.contains(.grabbed) {
            throw CaptureError(
                .busy, "\(name) can't be set while the device captures.",
                remedies: [Remedy("End the recording, then set the control.", .showStatus)])
        }
    }

    /// Error for an inactive control; names the automatic that decides, if known.
    private func inactivity(on device: Device) -> CaptureError {
        guard let automatic else {
            return CaptureError(
                .unavailable, "\(name) is inactive because of another control.",
                remedies: [
                    Remedy(
                        "Find that control, and set it first.",
                        .showControls(device: device.id.rawValue))
                ])
        }
        let manual = automatic.manual.text
        return CaptureError(
            .unavailable, "\(name) is set by the device itself until \(automatic.name) is \(manual).",
            remedies: [
                Remedy(
                    "Set \(automatic.name)=\(manual) first.",
                    .takeOver(control: name, device: device.id.rawValue, automatic: automatic.name, manual: manual))
            ])
    }
}

extension ControlValue {
    /// The value in the command line's notation.
    public var text: String {
        switch self {
        case .integer(let number): String(number)
        case .text(let text): text
        case .decibels(let level): DeviceControl.decibels(level)
        }
    }
}

extension DeviceControl {
    /// Parses a person's word for this control's value.
    ///
    /// Numbers may be hexadecimal (`0x1f`) or a percentage of the range (`50%`); a volume takes decibels (`-6dB`); a
    /// switch takes `on` and `off`; a menu takes an item's number, its name in any case, or a part of the name that no
    /// other item has; a button takes `press` or 1.
    ///
    /// - Parameter text: one word of a command line.
    /// - Throws: `.usage` with the range for anything else.
    public func value(parsing text: String) throws(CaptureError) -> ControlValue {
        let value: ControlValue?
        switch kind {
        case .string: value = .text(text)
        case .button: value = text == "press" || text == "1" ? .integer(1) : nil
        case .boolean: value = Self.switches[text.lowercased()].map { .integer($0) }
        case .menu, .integerMenu: value = item(text).map { .integer($0.number) }
        case .integer, .integer64: value = volume(text) ?? (percentage(text) ?? Self.number(text)).map { .integer($0) }
        case .bitmask: value = Self.number(text).map { .integer($0) }
        case .compound: value = nil
        }
        guard let value else { throw refusal(of: "\"\(QuestionText.visible(text))\"") }
        try check(value)
        return value
    }

    /// Words for the two states of a switch.
    private static let switches: [String: Int64] = [
        "1": 1, "on": 1, "yes": 1, "true": 1, "0": 0, "off": 0, "no": 0, "false": 0,
    ]

    /// Parses a decimal number, or a hexadecimal one without a sign.
    private static func number(_ text: String) -> Int64? {
        guard text.lowercased().hasPrefix("0x") else { return Int64(text) }
        return UInt64(text.dropFirst(2), radix: 16).flatMap { Int64(exactly: $0) }
    }

    /// Finds a menu's item. A number that no item has is not taken for a part of a name: `5` must not mean `50 Hz`.
    private func item(_ text: String) -> ControlItem? {
        if let number = Self.number(text), let item = items.first(where: { $0.number == number }) { return item }
        let wanted = text.lowercased()
        let exact = items.filter { $0.name.lowercased() == wanted }
        if let item = exact.first { return item }
        let fitting = items.filter { $0.name.lowercased().contains(wanted) }
        return fitting.count == 1 && Self.number(text) == nil && !wanted.isEmpty ? fitting[0] : nil
    }

    /// Parses a level in decibels, for controls that have such a scale.
    private func volume(_ text: String) -> ControlValue? {
        guard decibels != nil, text.lowercased().hasSuffix("db") else { return nil }
        let number = text.dropLast(2).filter { $0 != " " }
        return Double(number).flatMap { $0.isFinite ? .decibels($0) : nil }
    }

    /// Value at a percentage of the range, at the nearest step.
    private func percentage(_ text: String) -> Int64? {
        guard text.hasSuffix("%"), let percent = Double(text.dropLast()), (0...100).contains(percent) else {
            return nil
        }
        let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        if percent == 100 { return lastStep }
        // `Double` has 53 bits: the span of a 64-bit control may round up beyond its last step, hence the limit.
        let exact = Double(span) / Double(step) * percent / 100
        let steps = UInt64(min(exact.rounded(), Double(span / UInt64(step)).nextDown.rounded(.up)))
        return range.lowerBound &+ Int64(bitPattern: steps &* UInt64(step))
    }

    /// Highest value that is on a step; the range's upper end need not be.
    private var lastStep: Int64 {
        let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        return range.lowerBound &+ Int64(bitPattern: span / UInt64(step) * UInt64(step))
    }
}
