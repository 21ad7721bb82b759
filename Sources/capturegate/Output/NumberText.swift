/// Numbers as people read them.
enum NumberText {
    /// With a fixed number of digits after the point, 0 upwards.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "?" }
        let scale = (0..<digits).reduce(Int64(1)) { power, _ in power * 10 }
        let scaled = Int64((abs(value) * Double(scale)).rounded())
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        return "\(sign)\(scaled / scale).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
    }

    /// In the unit that leaves one to three digits before the point; powers of 1000.
    static func bytes(_ count: Int64) -> String {
        guard count >= 1000 else { return "\(count) B" }
        var value = Double(count) / 1000
        for unit in ["kB", "MB", "GB"] {
            if value < 1000 { return "\(fixed(value, 1)) \(unit)" }
            value /= 1000
        }
        return "\(fixed(value, 1)) TB"
    }

    /// `12.3 s`, or `1:02:03.4` from a minute on.
    static func time(nanoseconds: Int64) -> String {
        let tenths = (max(0, nanoseconds) + 50_000_000) / 100_000_000
        guard tenths >= 600 else { return "\(tenths / 10).\(tenths % 10) s" }
        let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60)
        let end = "\(two(minutes)):\(two(seconds)).\(tenths % 10)"
        return hours == 0 ? end : "\(hours):\(end)"
    }

    /// Bits a second; powers of 1000.
    static func bits(_ count: Int64) -> String {
        let text = bytes(max(0, count))
        return text.dropLast(text.hasSuffix(" B") ? 1 : 2)
            + (text.hasSuffix(" B") ? "bit/s" : "\(text.dropLast().last ?? " ")bit/s")
    }

    /// Roughly: `50 s`, `12 min`, `3 h`, `40 d`.
    static func span(seconds: Double) -> String {
        guard seconds.isFinite, seconds < 8.64e9 else { return "long" }
        for (unit, length) in [("d", 86_400.0), ("h", 3600.0), ("min", 60.0)] where seconds >= 3 * length {
            return "\(Int(seconds / length)) \(unit)"
        }
        return "\(Int(max(0, seconds))) s"
    }

    static func two(_ value: some BinaryInteger) -> String { value < 10 ? "0\(value)" : "\(value)" }

    /// `1 frame`, `2 frames`.
    static func counted(_ count: some BinaryInteger, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
