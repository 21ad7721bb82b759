import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("The memory of a pre-roll")
struct PreRollTests {
    private func preRoll(seconds: Int) throws -> PreRoll {
        var settings = RecorderSettings()
        settings.preRoll = .seconds(seconds)
        return try #require(PreRoll(settings))
    }

    private let raw = Recording.track(Source.video(.yuyv, 1920, 1080))
    private let images = Recording.track(Source.video(.mjpeg, 1920, 1080))
    private let sound = Recording.track(AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16))

    @Test("begins the clip where somebody asks for it; without one the moment that was said does")
    func asked() throws {
        let never = Duration.nanoseconds(Int64.max / 2)
        for (seconds, startsAt, start) in [
            (5, nil, 7), (5, never, 7), (0, nil, 7), (nil, never, nil),
        ] as [(Int?, Duration?, Int64?)] {
            var settings = RecorderSettings()
            settings.preRoll = seconds.map { .seconds($0) }
            settings.startsAt = startsAt
            #expect(PreRoll(settings)?.start(asked: 7) == start)
        }
    }

    @Test("is refused for raw pictures above 1 GiB; JPEG images are never refused")
    func check() throws {
        try preRoll(seconds: 7).check([raw, sound])
        #expect(throws: CaptureError.self) { try preRoll(seconds: 8).check([raw, sound]) }
        #expect(throws: CaptureError.self) { try preRoll(seconds: 4).check([raw, raw]) }
        try preRoll(seconds: 3600).check([images, sound])
    }

    @Test("is where it is needed: images have what sound leaves, in equal parts")
    func parts() throws {
        let preRoll = try preRoll(seconds: 9)
        #expect(preRoll.mostBytes(of: [raw, sound]).allSatisfy { $0 == 1 << 30 })
        let rest = ((1 << 30) - 1_920_000) / 2
        #expect(preRoll.mostBytes(of: [images, sound, images]) == [rest, 1 << 30, rest])
    }
}

@Suite("Held frames")
struct PreRollBufferTests {
    private func fill(_ held: PreRollBuffer, _ numbers: Range<Int>, bytes: Int = 4) {
        for number in numbers {
            let header = FrameHeader(
                sequence: UInt64(number), timestamp: Int64(number) * 100, byteCount: bytes, frameCount: 1)
            let frame = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes)
            held.append(header, frame.span.bytes)
        }
    }

    private func takeAll(_ held: PreRollBuffer) throws -> [UInt64] {
        var numbers: [UInt64] = []
        while !held.isEmpty {
            try held.takeFirst { (header, bytes) throws(CaptureError) in
                let first = bytes.withUnsafeBytes { $0[0] }
                if first == UInt8(truncatingIfNeeded: header.sequence) { numbers.append(header.sequence) }
            }
        }
        return numbers
    }

    @Test("come out in their order, with their own bytes")
    func order() throws {
        let held = PreRollBuffer()
        fill(held, 0..<3000)
        #expect(held.byteCount >= 12_000 && held.oldest == 0)
        #expect(try takeAll(held) == Array(0..<3000))
        #expect(held.byteCount == 0 && held.oldest == nil)
        fill(held, 7..<9)
        #expect(try takeAll(held) == [7, 8])
    }

    @Test("that are too old go; the one in which the moment lies stays")
    func age() throws {
        let held = PreRollBuffer()
        fill(held, 0..<50)
        var dropped: [UInt64] = []
        while let header = held.dropFirst(before: 4250, most: .max) { dropped.append(header.sequence) }
        #expect(dropped == Array(0..<42))
        #expect(try takeAll(held) == Array(42..<50))
    }

    @Test("need no more memory than there is, but one is always there")
    func memory() throws {
        let held = PreRollBuffer()
        fill(held, 0..<50, bytes: 1000)
        while held.dropFirst(before: 0, most: 10_400) != nil {}
        #expect(held.byteCount <= 10_400 && held.oldest == 4000)
        while held.dropFirst(before: 0, most: 1) != nil {}
        #expect(try takeAll(held) == [49])
    }
}

@Suite("What has all frames in memory")
struct ThrottleTests {
    /// Its decision at each second, from 5 on, about an output that is behind, or not.
    private func holds(_ isBusy: Bool...) -> [Bool] {
        var throttle = Throttle()
        return isBusy.enumerated().map { throttle.holds($1, now: Int64(5 + $0) * 1_000_000_000) }
    }

    @Test("waits for an output that is behind, and no longer than two seconds for one that is stuck")
    func stuck() { #expect(holds(true, true, true, true) == [true, true, false, false]) }

    @Test("does not wait for one that is not behind")
    func quick() { #expect(holds(false, false, true) == [false, false, true]) }

    @Test("waits anew for one that went on")
    func goesOn() { #expect(holds(true, true, false, true, true) == [true, true, false, true, true]) }
}
