/// A day and minute in UTC, as text: the standard library has no calendar.
///
/// After Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
struct CalendarDate: CustomStringConvertible, Sendable {
    let year: Int64
    let month: Int64
    let day: Int64
    let hour: Int64
    let minute: Int64

    init(nanosecondsSince1970: Int64) {
        let seconds = Self.floor(nanosecondsSince1970, by: 1_000_000_000)
        let days = Self.floor(seconds, by: 86400)
        let inDay = seconds - days * 86400
        hour = inDay / 3600
        minute = inDay / 60 % 60
        // Years that begin in March, so that the leap day is the last of its year.
        let shifted = days + 719_468
        let era = Self.floor(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var description: String { "\(year)-\(pad(month))-\(pad(day)) \(pad(hour)):\(pad(minute)) UTC" }

    private func pad(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func floor(_ value: Int64, by divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }
}
