import CaptureGate
import CaptureRig
import Testing

@Suite("ring benchmark")
struct RingBenchmarkTests {
    @Test("at least one round goes through, however short the time", arguments: [1_920, 614_400])
    func sound(_ bytes: Int) throws {
        let measured = try RingBenchmark(.sound, bytes: bytes).measure(for: .zero)
        #expect(measured.items == min(100_000_000 / bytes, 50_000) && measured.bytes == bytes)
        #expect(measured.elapsedNanoseconds > 0 && measured.throughput > 0)
    }

    @Test("pictures are lent and given back, whatever their size")
    func pictures() throws {
        let measured = try RingBenchmark(.picture, bytes: 1_000).measure(for: .zero)
        #expect(measured.bytes == 0 && measured.items == 100_000)
        #expect(measured.nanosecondsPerItem > 0 && measured.throughput == 0)
    }

    @Test("figures are told for each item and for a second")
    func figures() {
        let measured = RingMeasurement(kind: .sound, bytes: 1000, items: 500, elapsedNanoseconds: 1_000_000)
        #expect(measured.nanosecondsPerItem == 2000)
        #expect(measured.throughput == 500_000_000)
    }
}
