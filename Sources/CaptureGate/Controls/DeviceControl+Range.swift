extension DeviceControl {
    /// What it can be set to, in words: `0 to 255 in steps of 5`, `0 (Disabled) or 1 (50 Hz)`.
    public var rangeDescription: String {
        switch kind {
        case .button: "nothing: it is pressed"
        case .compound: "a value of many parts"
        case .boolean: "on or off"
        case .menu, .integerMenu: Self.alternatives(items.map { "\($0.number) (\(QuestionText.visible($0.name)))" })
        case .string: "a text of \(numbers) bytes"
        case .bitmask: "bits of 0x\(String(UInt64(bitPattern: range.upperBound), radix: 16))"
        case .integer, .integer64: numbers + scale
        }
    }

    private var numbers: String {
        let ends =
            range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        return step == 1 ? ends : "\(ends) in steps of \(step)"
    }

    private var scale: String {
        decibels.map { ", or \(Self.decibels($0.range.lowerBound)) to \(Self.decibels($0.range.upperBound))" } ?? ""
    }

    /// `-12.5dB`
    static func decibels(_ value: Double) -> String {
        guard abs(value) < 1e9 else { return "\(value)dB" }
        let hundredths = Int64((value * 100).rounded())
        let (whole, rest) = (abs(hundredths) / 100, abs(hundredths) % 100)
        var fraction = rest < 10 ? "0\(rest)" : "\(rest)"
        while fraction.last == "0" { fraction.removeLast() }
        return (hundredths < 0 ? "-" : "") + "\(whole)" + (fraction.isEmpty ? "" : ".\(fraction)") + "dB"
    }

    static func alternatives(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.last ?? "nothing" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
