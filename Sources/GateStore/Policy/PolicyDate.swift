import LinuxSystem

/// A moment as policy files write it: `2027-01-31T18:00:00Z`, seconds and their fraction optional, with `Z` or an offset such
/// as `+01:00`. Without an offset it would mean a different moment on each machine.
///
/// Standard: ISO 8601-1 (2019), the profile of RFC 3339.
struct PolicyDate: Hashable, Sendable {
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    let nanoseconds: Int64

    /// `nil` for any other text, and for years outside 1678 to 2261, the range of 64 bits of nanoseconds.
    init?(_ text: String) {
        var reader = Reader(rest: text.utf8[...])
        guard let date = reader.date(), reader.take("T") || reader.take("t") || reader.take(" "),
            let time = reader.time(), let offset = reader.offset(), reader.rest.isEmpty
        else { return nil }
        let moment = CivilTime(
            year: date.year, month: date.month, day: date.day, hour: time.hour, minute: time.minute, second: time.second
        )
        guard let whole = moment.nanoseconds(in: .utc) else { return nil }
        let (sum, overflows) = whole.subtractingReportingOverflow(offset * 1_000_000_000)
        let (nanoseconds, overflowsToo) = sum.addingReportingOverflow(time.fraction)
        guard !overflows, !overflowsToo else { return nil }
        self.nanoseconds = nanoseconds
    }
}

/// Reads a date from the front; each part consumes its bytes only if all of them are there.
private struct Reader {
    var rest: Substring.UTF8View

    /// Consumes one ASCII character, if it is next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// A number of exactly `digits` digits, without a sign.
    mutating func number(digits: Int, in range: ClosedRange<Int64>) -> Int64? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ (48...57).contains($0) }) else { return nil }
        rest = rest.dropFirst(digits)
        let value = text.reduce(Int64(0)) { $0 * 10 + Int64($1 - 48) }
        return range.contains(value) ? value : nil
    }

    /// Year, month and day; the calendar checks later that the day exists.
    mutating func date() -> (year: Int, month: Int, day: Int)? {
        guard let year = number(digits: 4, in: 0...9999), take("-"), let month = number(digits: 2, in: 1...12),
            take("-"), let day = number(digits: 2, in: 1...31)
        else { return nil }
        return (Int(year), Int(month), Int(day))
    }

    /// Hour, minute and second, and the second's fraction in nanoseconds.
    mutating func time() -> (hour: Int, minute: Int, second: Int, fraction: Int64)? {
        guard let hour = number(digits: 2, in: 0...23), take(":"), let minute = number(digits: 2, in: 0...59) else {
            return nil
        }
        guard take(":") else { return (Int(hour), Int(minute), 0, 0) }
        guard let second = number(digits: 2, in: 0...59) else { return nil }
        var fraction: Int64 = 0
        if take(".") {
            let digits = rest.prefix { (48...57).contains($0) }.count
            guard (1...9).contains(digits), let value = number(digits: digits, in: 0...999_999_999) else { return nil }
            fraction = (digits..<9).reduce(value) { value, _ in value * 10 }
        }
        return (Int(hour), Int(minute), Int(second), fraction)
    }

    /// Offset in seconds east of Greenwich.
    mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
        guard take("+") || take("-"), let hours = number(digits: 2, in: 0...23), take(":"),
            let minutes = number(digits: 2, in: 0...59)
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
