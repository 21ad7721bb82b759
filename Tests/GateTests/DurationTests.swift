import Foundation
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

    @Test("A number of nanoseconds comes back as it was, and what 64 bits do not hold is the last that they do")
    func exact() {
        for number in [Int64.min, .min / 3, -1, 0, 4_102_488_000_000_000_001, .max] {
            #expect(Duration.nanoseconds(number).exactNanoseconds == number)
        }
        #expect(Duration.seconds(Int64.max).exactNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).exactNanoseconds == .min)
    }
    @Test("A moment is made of durations, and is stored as the nanoseconds that stores have always had")
    func moment() throws {
        let moment = GateInstant(sinceEpoch: .seconds(2_500_000_000), sinceBoot: .nanoseconds(7), bootID: "b")
        #expect(moment.sinceEpoch == .seconds(2_500_000_000) && moment.sinceBoot == .nanoseconds(7))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = #"{"bootID":"b","bootNanoseconds":7,"wallNanoseconds":2500000000000000000}"#
        #expect(String(decoding: try encoder.encode(moment), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode(GateInstant.self, from: Data(text.utf8)) == moment)
    }
}
