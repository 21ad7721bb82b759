import CaptureGate

/// Numbers as people read them.
///
/// By hand: `String(format:)` needs Foundation, and so ICU, in a program that starts in milliseconds; and a
/// decimal comma, by the user's locale, would break scripts that read the plain text.
enum NumberText {
    /// Value with a fixed number of digits after the point; no point for 0 digits.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        // Larger values would overflow 64 bits once they are scaled.
        guard value.isFinite, abs(value) < 1e15 else { return "?" }
        let scale = (0..<digits).reduce(Int64(1)) { power, _ in power * 10 }
        let scaled = Int64((abs(value) * Double(scale)).rounded())
        // No "-0.0" for a value that rounds to zero.
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        return "\(sign)\(scaled / scale).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
    }

    /// Size in the unit that leaves one to three digits before the point; powers of 1000, as disks are sold
    /// and `df -H` counts.
    static func bytes(_ count: Int64) -> String {
        guard count >= 1000 else { return "\(count) B" }
        var value = Double(count) / 1000
        for unit in ["kB", "MB", "GB"] {
            if value < 1000 { return "\(fixed(value, 1)) \(unit)" }
            value /= 1000
        }
        return "\(fixed(value, 1)) TB"
    }

    /// Time as `12.3 s`, or as `1:02:03.4` from a minute on.
    static func time(_ duration: Duration) -> String {
        // Rounded before it is split, so that 59.97 s becomes 1:00.0 and not 60.0 s.
        let tenths = (max(0, duration.nanoseconds) + 50_000_000) / 100_000_000
        guard tenths >= 600 else { return "\(tenths / 10).\(tenths % 10) s" }
        let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60)
        let end = "\(two(minutes)):\(two(seconds)).\(tenths % 10)"
        return hours == 0 ? end : "\(hours):\(end)"
    }

    /// Bit rate in powers of 1000, as codecs' rates are given.
    static func bits(_ count: Int64) -> String {
        let text = bytes(max(0, count))
        return text.dropLast(text.hasSuffix(" B") ? 1 : 2)
            + (text.hasSuffix(" B") ? "bit/s" : "\(text.dropLast().last ?? " ")bit/s")
    }

    /// Approximate time: `50 s`, `12 min`, `3 h`, `40 d`.
    static func span(seconds: Double) -> String {
        guard seconds.isFinite, seconds < 8.64e9 else { return "long" }
        // A unit is used from three of it on: "2 h" would hide up to an hour, "150 min" hides a minute.
        for (unit, length) in [("d", 86_400.0), ("h", 3600.0), ("min", 60.0)] where seconds >= 3 * length {
            return "\(Int(seconds / length)) \(unit)"
        }
        return "\(Int(max(0, seconds))) s"
    }

    /// At least two digits, as clocks and dates have.
    static func two(_ value: some BinaryInteger) -> String { value < 10 ? "0\(value)" : "\(value)" }

    /// Count with its noun: `1 frame`, `2 frames`. For nouns whose plural ends in s.
    static func counted(_ count: some BinaryInteger, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

extension JSONValue {
    /// Number with a fixed number of digits after the point; null if it is not finite.
    static func rounded(_ value: Double, _ digits: Int) -> JSONValue {
        value.isFinite ? .rendered(NumberText.fixed(value, digits)) : .null
    }
}
