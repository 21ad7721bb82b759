import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("Levels of permits")
struct PermitLevelTests {
    @Test("A recorder takes no permit below record and video, not for one device of two either")
    func recorder() async throws {
        for parts: [any DeviceCapability] in [
            [Capability.tone(.meter)], [Capability.bars(.still)], [Capability.tone(.record), Capability.bars(.still)],
            [Capability.bars(.video), Capability.tone(.meter)],
        ] {
            let scratch = try Scratch()
            let path = scratch.path("a.mkv")
            let error = try await withPermit(for: parts, in: scratch) {
                permit async throws(CaptureError) -> CaptureError? in
                do throws(CaptureError) {
                    _ = try await Recorder(opening: permit).record(to: path, for: .milliseconds(100))
                    return nil
                } catch {
                    return error
                }
            }
            #expect(error?.kind == .notAuthorized)
            #expect(error?.message.contains("Opening it this way needs") == true && error?.remedies.count == 3)
            #expect(!scratch.names.contains { $0.hasPrefix("a.mkv") })
        }
    }

    @Test("A permit to meter opens what tells how loud it is: 20 times a second, however short a period was asked for")
    func levels() async throws {
        let settings = AudioSettings(period: .milliseconds(1))
        let readings = try await withPermit(for: [Capability.tone(.meter)], in: Scratch()) {
            permit async throws(CaptureError) in
            var permit = permit
            var readings: [LevelReading] = []
            guard let only = permit.take(DeviceID(rawValue: "test:tone")) else { return readings }
            let levels = try await LevelSession(opening: only, settings: settings).levels()
            for try await reading in levels {
                readings.append(reading)
                if readings.count == 3 { break }
            }
            await levels.close()
            return readings
        }
        #expect(readings.map(\.elapsed) == [.milliseconds(50), .milliseconds(100), .milliseconds(150)])
        for level in readings.flatMap(\.channels) {
            #expect(abs(level.peakDBFS + 20) < 0.1 && abs(level.rmsDBFS + 23.01) < 0.1)
        }
    }

    @Test("Periods shorter than a reading are one, and what was lost is counted over all")
    func count() {
        let format = AudioFormat(sampleRate: 1000, channels: 1, sampleFormat: .s16)
        var count = LevelCount(format, every: .milliseconds(50))
        let loud: [Int16] = Array(repeating: 16_384, count: 20)
        var header = FrameHeader(sequence: 0, timestamp: 0, byteCount: 40, frameCount: 20)
        header.lost.device = 3
        var readings: [LevelReading?] = []
        for _ in 0..<6 { readings.append(count.reading(header, loud.span.bytes)) }
        #expect(readings.map { $0?.elapsed } == [nil, nil, .milliseconds(60), nil, nil, .milliseconds(120)])
        #expect(readings[5]?.lost == 18 && readings[5]?.channels.map { abs($0.peakDBFS + 6.02) < 0.01 } == [true])
    }

    @Test(
        "Single pictures that have time to settle, and a second between them, need a still; all others moving pictures",
        arguments: [
            (1, Duration.zero, Duration.seconds(3), AccessLevel.still), (1, .zero, .seconds(1), .still),
            (1, .zero, .milliseconds(999), .video), (1, .zero, .zero, .video), (1, .zero, .seconds(-1), .video),
            (2, .seconds(1), .seconds(3), .still), (1440, .seconds(60), .seconds(3), .still),
            (2, .milliseconds(999), .seconds(3), .video), (1000, .zero, .zero, .video),
            (2, .seconds(-60), .seconds(3), .video), (2, .seconds(60), .zero, .video), (0, .zero, .seconds(3), .still),
        ])
    func leastLevel(count: Int, interval: Duration, patience: Duration, level: AccessLevel) {
        var settings = SnapshotSettings()
        (settings.count, settings.interval, settings.patience) = (count, interval, patience)
        #expect(settings.leastLevel == level)
    }

    @Test("A permit for a still takes single pictures, and no burst")
    func stills() async throws {
        let scratch = try Scratch()
        func taken(_ settings: SnapshotSettings, _ name: String) async throws -> [String] {
            let files = try SnapshotFiles(.file(path: scratch.path(name)), count: settings.count)
            defer { files.discard() }
            return try await withPermit(for: [Capability.bars(.still)], in: scratch) {
                permit async throws(CaptureError) in
                var permit = permit
                guard let only = permit.take(DeviceID(rawValue: "test:bars")) else { return [] }
                do throws(CaptureError) {
                    return try await SnapshotTaker(settings, into: files).take(with: only).map { "\($0.isSettled)" }
                } catch {
                    return ["\(error.kind)"]
                }
            }
        }
        var settings = SnapshotSettings()
        settings.video = VideoSettings(width: 320, height: 240)
        #expect(try await taken(settings, "one.jpg") == ["true"])
        settings.count = 1000
        settings.patience = .zero
        #expect(try await taken(settings, "burst.jpg") == ["notAuthorized"])
        #expect(!scratch.names.contains { $0.hasPrefix("burst") })
    }
}
