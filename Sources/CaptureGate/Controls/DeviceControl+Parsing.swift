import CaptureBase

extension DeviceControl {
    /// What a person means with a word for this control's value.
    ///
    /// Numbers may be hexadecimal (`0x1f`); a switch takes `on` and `off`; a menu its item's number or name, in either
    /// case, or a part of the name that no other has; numbers take a percentage of the range (`50%`), volumes decibels
    /// (`-6dB`); a button takes `press` or 1.
    ///
    /// - Throws: `.usage` with the range where it is none of that.
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

    private static let switches: [String: Int64] = [
        "1": 1, "on": 1, "yes": 1, "true": 1, "0": 0, "off": 0, "no": 0, "false": 0,
    ]

    private static func number(_ text: String) -> Int64? {
        guard text.lowercased().hasPrefix("0x") else { return Int64(text) }
        return UInt64(text.dropFirst(2), radix: 16).flatMap { Int64(exactly: $0) }
    }

    private func item(_ text: String) -> ControlItem? {
        if let number = Self.number(text), let item = items.first(where: { $0.number == number }) { return item }
        let wanted = text.lowercased()
        let exact = items.filter { $0.name.lowercased() == wanted }
        if let item = exact.first { return item }
        let fitting = items.filter { $0.name.lowercased().contains(wanted) }
        return fitting.count == 1 && Self.number(text) == nil && !wanted.isEmpty ? fitting[0] : nil
    }

    private func volume(_ text: String) -> ControlValue? {
        guard decibels != nil, text.lowercased().hasSuffix("db") else { return nil }
        let number = text.dropLast(2).filter { $0 != " " }
        return Double(number).flatMap { $0.isFinite ? .decibels($0) : nil }
    }

    /// A percentage of the range, at the nearest step.
    private func percentage(_ text: String) -> Int64? {
        guard text.hasSuffix("%"), let percent = Double(text.dropLast()), (0...100).contains(percent) else {
            return nil
        }
        let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        if percent == 100 { return lastStep }
        let exact = Double(span) / Double(step) * percent / 100
        let steps = UInt64(min(exact.rounded(), Double(span / UInt64(step)).nextDown.rounded(.up)))
        return range.lowerBound &+ Int64(bitPattern: steps &* UInt64(step))
    }

    private var lastStep: Int64 {
        let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        return range.lowerBound &+ Int64(bitPattern: span / UInt64(step) * UInt64(step))
    }
}
