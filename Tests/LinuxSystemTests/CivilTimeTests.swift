import LinuxSystem
import Testing

@Suite("Civil time")
struct CivilTimeTests {
    @Test(
        "A moment is a day and a time of the Gregorian calendar, and the same moment again",
        arguments: [
            (0 as Int64, "1970-01-01 00:00:00"), (951_782_400, "2000-02-29 00:00:00"),
            (-1, "1969-12-31 23:59:59"), (4_107_542_400, "2100-03-01 00:00:00"),
            (1_800_000_000, "2027-01-15 08:00:00"), (-9_214_560_000, "1678-01-01 00:00:00"),
        ])
    func roundTrip(seconds: Int64, text: String) {
        let time = CivilTime(nanoseconds: seconds * 1_000_000_000, in: .utc)
        #expect(time.text == text)
        #expect(time.nanoseconds(in: .utc) == seconds * 1_000_000_000)
    }

    @Test("A part of a second belongs to the second that it is in, before 1970 too")
    func fractions() {
        #expect(CivilTime(nanoseconds: -1, in: .utc).text == "1969-12-31 23:59:59")
        #expect(CivilTime(nanoseconds: 999_999_999, in: .utc).text == "1970-01-01 00:00:00")
    }

    @Test("What no calendar has is no moment")
    func nonsense() {
        for (year, month, day) in [
            (2026, 2, 29), (2026, 4, 31), (2026, 13, 1), (2026, 0, 1), (2026, 1, 0), (1900, 2, 29),
        ] {
            #expect(CivilTime(year: year, month: month, day: day).nanoseconds(in: .utc) == nil)
            #expect(CivilTime(year: year, month: month, day: day).nanoseconds(in: .local) == nil)
        }
        #expect(CivilTime(year: 2026, month: 1, day: 1, hour: 24).nanoseconds(in: .utc) == nil)
        #expect(CivilTime(year: 2026, month: 1, day: 1, second: 60).nanoseconds(in: .local) == nil)
        #expect(CivilTime(year: 2400, month: 1, day: 1).nanoseconds(in: .utc) == nil, "beyond 64 bits of nanoseconds")
        #expect(CivilTime(year: 2000, month: 2, day: 29).nanoseconds(in: .utc) != nil)
    }

    @Test("Local time comes back as the same moment")
    func local() {
        let moment: Int64 = 1_790_000_000_000_000_000
        #expect(CivilTime(nanoseconds: moment, in: .local).nanoseconds(in: .local) == moment)
        #expect(CivilTime.localText(nanoseconds: moment).count == 19)
    }
}
