import Gate
import Testing

@Suite("Durations")
struct DurationTests {
    private static let most = Int64.max / 4
    private static let cases: [(Duration, Int64)] = [
        (.seconds(2), 2_000_000_000), (.milliseconds(-1), -1_000_000), (.nanoseconds(7), 7),
        (.seconds(Int64.max), most), (.seconds(Int64.min), -most), (.seconds(9_000_000_000), most),
    ]

    @Test("They are whole nanoseconds; what is too long is a number still", arguments: cases)
    func nanoseconds(duration: Duration, expected: Int64) {
        #expect(duration.nanoseconds == expected)
    }
}
