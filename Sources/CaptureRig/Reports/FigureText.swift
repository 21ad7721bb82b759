/// Numbers as people read them: grouped in thousands, with a true minus sign, and no more digits than say something.
///
/// Written here because the standard library only has a number's shortest exact form. *thread-safe*
enum FigureText {
    /// Number with this many significant digits; whole numbers keep all of theirs.
    static func of(_ value: Double, digits: Int = 4) -> String {
        let size = magnitude(value)
        guard (-5..<13).contains(size) else { return scientific(value, size) }
        return fixed(value, decimals: max(0, digits - 1 - size))
    }

    /// Number with up to this many decimals, without zeros at the end.
    static func fixed(_ value: Double, decimals: Int) -> String {
        let decimals = min(max(decimals, 0), 12)
        let scaled = (value.magnitude * power(of: decimals)).rounded()
        // From here on not every whole number is a Double.
        guard scaled < 9e15 else { return scientific(value, magnitude(value)) }
        let (whole, part) = Int(scaled).quotientAndRemainder(dividingBy: Int(power(of: decimals)))
        return (value < 0 && scaled > 0 ? "−" : "") + grouped(whole) + fraction(part, decimals)
    }

    /// A difference: the sign is written if it is a plus, too.
    static func signed(_ value: Double, decimals: Int) -> String {
        let text = fixed(value, decimals: decimals)
        return value > 0 && text != "0" ? "+" + text : text
    }

    /// Seconds in the unit that fits them.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "–" }
        if seconds < 1 { return fixed(seconds * 1000, decimals: 0) + " ms" }
        if seconds < 60 { return fixed(seconds, decimals: 1) + " s" }
        let whole = Int(seconds.rounded())
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole / 60 % 60) min"
    }

    /// Exponent of the power of ten that a number begins with: 2 for 480; 0 for 0.
    static func magnitude(_ value: Double) -> Int {
        var rest = value.magnitude
        guard rest > 0, rest.isFinite else { return 0 }
        var exponent = 0
        while rest >= 10 {
            rest /= 10
            exponent += 1
        }
        while rest < 1 {
            rest *= 10
            exponent -= 1
        }
        return exponent
    }

    /// Ten to a whole exponent.
    static func power(of exponent: Int) -> Double {
        (0..<exponent.magnitude).reduce(1.0) { result, _ in exponent > 0 ? result * 10 : result / 10 }
    }

    private static func scientific(_ value: Double, _ size: Int) -> String {
        guard value.isFinite else { return "–" }
        // Two steps: ten to the 308th is finite, and one power more is not.
        let half = size / 2
        return fixed(value / power(of: half) / power(of: size - half), decimals: 2) + "e\(size)"
    }

    private static func grouped(_ whole: Int) -> String {
        whole < 1000 ? String(whole) : grouped(whole / 1000) + "," + padded(whole % 1000, to: 3)
    }

    private static func fraction(_ part: Int, _ decimals: Int) -> String {
        guard part > 0 else { return "" }
        return "." + String(padded(part, to: decimals).reversed().drop { $0 == "0" }.reversed())
    }

    private static func padded(_ number: Int, to count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

extension Measure {
    /// Decimals that show a number's relation to its limit: a hundredth of the margin, and always enough to show on which side it
    /// is. A rate of 48,000.37 Hz is not shown as 48,000 if 5 Hz are allowed.
    var decimals: Int {
        guard let value, let limit else { return max(0, 3 - FigureText.magnitude(value ?? 0)) }
        let least = min(max(0, 2 - FigureText.magnitude(limit.scale(for: value))), 9)
        return (least...9).first { verdict == limit.verdict(of: Self.rounded(value, $0)) } ?? 9
    }

    private static func rounded(_ value: Double, _ decimals: Int) -> Double {
        (value * FigureText.power(of: decimals)).rounded() / FigureText.power(of: decimals)
    }

    /// The number alone, for a table with a column for the unit's text.
    var figure: String { value.map { FigureText.fixed($0, decimals: decimals) } ?? "not measured" }

    /// The number and its unit.
    package var shown: String { value == nil || unit.isEmpty ? figure : "\(figure) \(unit)" }

    /// Distance of the number from its bounds, with a sign, positive inside; `nil` without a limit.
    var shownMargin: String? {
        margin.map { FigureText.signed($0, decimals: decimals) + (unit.isEmpty ? "" : " \(unit)") }
    }

    /// The limit as an inequality with its unit, or as a range.
    package var shownLimit: String? {
        guard let limit, let bounds = limit.text(decimals: decimals) else { return nil }
        return unit.isEmpty ? bounds : "\(bounds) \(unit)"
    }

    /// The margin as a part of what the limit leaves: 1 in the middle, 0 on a bound; `nil` without a limit.
    var headroom: Double? {
        guard let value, let limit, let margin else { return nil }
        return margin / limit.scale(for: value)
    }
}

extension Limit {
    /// Half the width of the bounds; with one bound its size, with a bound of 0 that of the number. Never 0.
    func scale(for value: Double) -> Double {
        if let least, let most, most > least { return (most - least) / 2 }
        return [(most ?? least ?? 0).magnitude, value.magnitude].first { $0 > 0 && $0.isFinite } ?? 1
    }

    fileprivate func text(decimals: Int) -> String? {
        // A bound is shown in full, up to the digits that a plan may reasonably have.
        func figure(_ bound: Double) -> String { FigureText.fixed(bound, decimals: max(decimals, 4)) }
        return switch (least, most) {
        case (let least?, let most?) where least == most: "= \(figure(least))"
        case (let least?, let most?): "\(figure(least)) to \(figure(most))"
        case (let least?, nil): "≥ \(figure(least))"
        case (nil, let most?): "≤ \(figure(most))"
        case (nil, nil): nil
        }
    }
}
