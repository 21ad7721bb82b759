/// A number and its unit as a person writes them: `3 s`, `-0.5`, `1e-5`, `80%`.
///
/// The digits stay a text until the unit is known: `0.3 ms` in seconds is then the number nearest to 0.0003, as if
/// somebody had written that, and not the nearest to a thousandth of the number nearest to 0.3.
///
/// *thread-safe*
struct PlanQuantity: Hashable, Sendable {
    /// Sign, digits and point.
    private let digits: String
    /// Power of ten of the last digit.
    private let exponent: Int
    /// Unit with its micro sign as `u`; empty for none.
    let unit: String

    /// `nil` for anything but a decimal number, with an optional sign, fraction and exponent, and a unit after it.
    init?(_ text: String) {
        var rest = text.utf8[...]
        var digits = ""
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            digits = String(Unicode.Scalar(rest.removeFirst()))
        }
        let whole = Self.digits(from: &rest)
        var fraction = ""
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = Self.digits(from: &rest)
            guard !fraction.isEmpty else { return nil }
        }
        // More digits than a double has would pretend an exactness that nobody gets.
        guard !whole.isEmpty, whole.utf8.count + fraction.utf8.count <= 30 else { return nil }
        self.digits = "\(digits)\(whole).\(fraction.isEmpty ? "0" : fraction)"
        exponent = Self.exponent(from: &rest)
        unit = Self.plainMicro(String(Substring(rest)))
        // What no double holds is no number: 1e400.
        guard Self.isUnit(unit), number.isFinite else { return nil }
    }

    /// The number in its own unit.
    var number: Double { shifted(by: 0) }

    /// A whole number without fraction, exponent and unit; `nil` for another one.
    var whole: Int? { unit.isEmpty && exponent == 0 && digits.hasSuffix(".0") ? Int(digits.dropLast(2)) : nil }

    /// Number in another unit; `nil` if the two do not measure the same, or the number is too large.
    ///
    /// - Parameter target: unit in the form of ``Measure``. A number without a unit is in it.
    func number(in target: String) -> Double? {
        let target = Self.plainMicro(target)
        if unit.isEmpty || unit == target { return number }
        // Never empty for a target without a unit: that is a plain ratio, which may be written in percent.
        guard let powers = Self.families.first(where: { $0[unit] != nil && $0[target] != nil }),
            let from = powers[unit], let to = powers[target]
        else { return nil }
        let converted = shifted(by: from - to)
        return converted.isFinite ? converted : nil
    }

    /// The time; `nil` without a unit of time, for a negative one and for more than 1,000 hours.
    var duration: Duration? {
        guard let factor = Self.seconds[unit] else { return nil }
        let nanoseconds = shifted(by: factor.power + 9) * factor.times
        // Numbers up to this one are whole nanoseconds in a double.
        guard nanoseconds >= 0, nanoseconds <= 1000 * 3600 * 1e9 else { return nil }
        return .nanoseconds(Int64(nanoseconds.rounded()))
    }

    /// Units of which one is a power of ten of another, with that power.
    private static let families: [[String: Int]] = [
        ["s": 0, "ms": -3, "us": -6, "ns": -9], ["Hz": 0, "kHz": 3, "MHz": 6], ["": 0, "%": -2, "ppm": -6],
    ]

    /// Units of time: a second's power of ten, and a factor.
    private static let seconds: [String: (power: Int, times: Double)] = [
        "us": (-6, 1), "ms": (-3, 1), "s": (0, 1), "min": (0, 60), "h": (0, 3600),
    ]

    private func shifted(by power: Int) -> Double { Double("\(digits)e\(exponent + power)") ?? .infinity }

    /// Takes the decimal digits of ASCII from the front.
    private static func digits(from rest: inout Substring.UTF8View) -> String {
        let digits = rest.prefix { (48...57).contains($0) }
        rest = rest.dropFirst(digits.count)
        return String(Substring(digits))
    }

    /// Takes an exponent such as `e-5` from the front; without digits it is the beginning of a unit.
    private static func exponent(from rest: inout Substring.UTF8View) -> Int {
        guard let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") else { return 0 }
        var behind = rest.dropFirst()
        let sign = behind.first
        let isSigned = sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
        if isSigned { behind = behind.dropFirst() }
        // Three digits are more than any double has.
        guard let power = Int(digits(from: &behind)), power < 1000 else { return 0 }
        rest = behind
        return sign == UInt8(ascii: "-") ? -power : power
    }

    /// Removes the spaces from the front of a unit, and writes its micro sign as `u`: Unicode has two that look the same.
    private static func plainMicro(_ text: String) -> String {
        let text = String(text.drop { $0 == " " })
        guard let first = text.unicodeScalars.first, first == "\u{B5}" || first == "\u{3BC}" else { return text }
        return "u" + text.dropFirst()
    }

    /// True for letters, the percent sign and a slash: anything else is a second number, or a slip of the hand.
    private static func isUnit(_ unit: String) -> Bool { unit.allSatisfy { $0.isLetter || $0 == "%" || $0 == "/" } }
}
