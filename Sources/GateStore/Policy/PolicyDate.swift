/// A moment as policy files write it: `2027-01-31T18:00:00Z`, seconds and their fraction optional, an offset such as
/// `+01:00` in the place of `Z`. Without an offset it would mean another moment on each machine.
///
/// Standard: ISO 8601-1 (2019), the profile of RFC 3339.
struct PolicyDate: Hashable, Sendable {
    /// Since 1970-01-01T00:00:00Z.
    let nanoseconds: Int64

    /// `nil` if the text is not such a date, or not of the years 1678 to 2261, which 64 bits of nanoseconds can name.
    init?(_ text: String) {
        var reader = Reader(rest: text.utf8[...])
        guard let day = reader.day(), reader.take("T") || reader.take("t") || reader.take(" "),
            let nanosecondsOfDay = reader.time(), let offset = reader.offset(), reader.rest.isEmpty
        else { return nil }
        let seconds = day * 86_400 - offset
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsToo) = whole.addingReportingOverflow(nanosecondsOfDay)
        guard !overflows, !overflowsToo else { return nil }
        nanoseconds = sum
    }
}

/// Reads a date from the front on; each part takes its bytes only if it has them all.
private struct Reader {
    var rest: Substring.UTF8View

    /// Takes one ASCII character, if it is next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// So many digits, no sign.
    mutating func number(digits: Int, in range: ClosedRange<Int64>) -> Int64? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ (48...57).contains($0) }) else { return nil }
        rest = rest.dropFirst(digits)
        let value = text.reduce(Int64(0)) { $0 * 10 + Int64($1 - 48) }
        return range.contains(value) ? value : nil
    }

    /// Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March.
    mutating func day() -> Int64? {
        guard let year = number(digits: 4, in: 0...9999), take("-"), let month = number(digits: 2, in: 1...12),
            take("-"), let day = number(digits: 2, in: 1...Reader.days(in: month, of: year))
        else { return nil }
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Days of a month, by the Gregorian rule.
    private static func days(in month: Int64, of year: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        if month == 2 { return isLeap ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Nanoseconds since midnight.
    mutating func time() -> Int64? {
        guard let hour = number(digits: 2, in: 0...23), take(":"), let minute = number(digits: 2, in: 0...59) else {
            return nil
        }
        var nanoseconds = (hour * 60 + minute) * 60_000_000_000
        guard take(":") else { return nanoseconds }
        guard let second = number(digits: 2, in: 0...59) else { return nil }
        nanoseconds += second * 1_000_000_000
        guard take(".") else { return nanoseconds }
        let digits = rest.prefix { (48...57).contains($0) }.count
        guard (1...9).contains(digits), let fraction = number(digits: digits, in: 0...999_999_999) else { return nil }
        return nanoseconds + (digits..<9).reduce(fraction) { value, _ in value * 10 }
    }

    /// Seconds east of Greenwich.
    mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
        guard take("+") || take("-"), let hours = number(digits: 2, in: 0...23), take(":"),
            let minutes = number(digits: 2, in: 0...59)
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
