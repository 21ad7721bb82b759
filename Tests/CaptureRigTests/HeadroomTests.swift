import CaptureRig
import Testing

@Suite("headroom")
struct HeadroomTests {
    private static let frame = Duration.milliseconds(33)

    @Test(
        "it is fine with a third to spare and no frame late",
        arguments: [
            (3.0, 1, Headroom.fine), (1.5, 66_000_000, .fine), (1.5, 66_000_001, .tight), (1.49, 1, .tight),
            (1.0, 1, .tight), (0.99, 1, .slow),
        ])
    func verdict(_ times: Double, _ slowest: Int64, _ expected: Headroom) {
        #expect(Headroom(times: times, slowest: .nanoseconds(slowest), frame: Self.frame) == expected)
    }
}
