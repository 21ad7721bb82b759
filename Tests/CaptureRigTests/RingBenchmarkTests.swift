import CaptureGate
import CaptureRig
import Testing

@Suite("ring benchmark")
struct RingBenchmarkTests {
    @Test("at least one round goes through, however short the time", arguments: [1_920, 614_400])
    func sound(_ bytes: Int) throws {
        let measured = try RingBenchmark(.sound, bytes: bytes).measure(for: .zero)
        #expect(measured.items == min(100_000_000 / bytes, 50_000) && measured.bytes == bytes)
        #expect(measured.elapsed > .zero && measured.throughput > 0)
    }

    @Test("pictures are lent and given back, whatever their size")
    func pictures() throws {
        let measured = try RingBenchmark(.picture, bytes: 1_000).measure(for: .zero)
        #expect(measured.bytes == 0 && measured.items == 100_000)
        #expect(measured.timePerItem > .zero && measured.throughput == 0)
    }

    @Test("figures are told for each item and for a second")
    func figures() {
        let measured = RingMeasurement(kind: .sound, bytes: 1000, items: 500, elapsed: .milliseconds(1))
        #expect(measured.timePerItem == .nanoseconds(2000))
        #expect(measured.throughput == 500_000_000)
    }
}
