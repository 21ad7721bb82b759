import Testing

@testable import CaptureRig

@Suite("timing of events")
struct EventTimingTests {
    @Test("latencies have a median and a maximum in ms")
    func latencies() {
        let measures = Latencies.firstFrame([300_000_000, 590_000_000, 310_000_000, 320_000_000]).measures
        #expect(measures.map(\.name) == ["first_frame_median", "first_frame_max"])
        #expect(measures.map(\.value) == [315, 590])
        #expect(Latencies.reconfigure([9_000_000, 7_000_000, 8_000_000]).measures.value("reconfigure_median") == 8)
    }

    @Test("no latencies are an error")
    func noLatencies() {
        #expect(Latencies.reconfigure([]).measures.allSatisfy { $0.verdict == .error })
    }

    @Test("sound that is 80 ms late is found, with its spread", arguments: [80.0, 0, -15])
    func sync(_ offset: Double) {
        var noise = VirtualNoise(sigma: 3e6, seed: 5)
        let events = (0..<1_000).map { index in
            let seen = VirtualCamera.start + Int64(index) * 1_000_000_000
            return (seen: seen, heard: seen + Int64(offset * 1e6 + noise.next()))
        }
        let sync = EventSync(events)
        #expect(isNear(sync.mean, offset, by: 0.3))
        #expect(isNear(sync.deviation, 3, by: 0.2))
        #expect(sync.measures.value("sync_events") == 1_000)
        #expect(sync.series[0].points.count == 1_000)
    }

    @Test("one event has a mean and no spread, none has neither")
    func tooFew() {
        #expect(EventSync([(seen: 1_000_000, heard: 3_000_000)]).measures.map(\.value) == [2, nil, 1])
        #expect(EventSync([]).measures.allSatisfy { $0.verdict == .error })
    }

    @Test("times of any size are judged")
    func hostile() {
        let events = HostileNumbers.stamps.flatMap { seen in HostileNumbers.stamps.map { (seen: seen, heard: $0) } }
        #expect(EventSync(events).measures.allSatisfy { $0.value != nil })
        #expect(Latencies.firstFrame(HostileNumbers.stamps).measures.allSatisfy { $0.value != nil })
    }
}
