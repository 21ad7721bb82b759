import CaptureGate
import CaptureRecording

extension CheckMakers {
    /// Checks of a camera and a microphone together.
    static let together: [String: Maker] = ["sync.offset": offset, "sync.drift": drift]

    private static func offset(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        var flashing = try context.capture(for: .seconds(10))
        flashing.video.claps = true
        let (capture, camera) = (flashing, try context.device())
        async let seeing = outcome(of: { () async throws(CaptureError) in
            let (record, flashes) = try await context.streams.record(capture, from: camera) {
                media throws(CaptureError) in try BrightnessRecording(media)
            }
            try record.check()
            return flashes
        })
        async let hearing = outcome(of: { () async throws(CaptureError) in
            try await context.heard(for: .seconds(10), after: .zero, claps: true)
        })
        let (sound, picture) = (try await hearing.get(), try await seeing.get())
        let claps = ClapPairs(seen: picture.flashes, in: picture.span, heard: sound.clicks, in: sound.span)
        guard claps.seen + claps.heard > 0 else {
            throw CaptureError(
                .unavailable, "No claps were found: there was no flash and no click.",
                remedies: [Remedy("Make the calibrator flash and click once a second.")])
        }
        return claps.findings
    }

    private static func drift(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let capture = try context.capture(for: .seconds(60))
        let devices = context.devices
        async let seeing = outcome(of: { () async throws(CaptureError) in
            try await context.streams.record(capture, from: try context.device())
        })
        async let hearing = outcome(of: { () async throws(CaptureError) in
            try await context.streams.record(capture, from: devices[devices.count - 1])
        })
        let (sound, picture) = (try await hearing.get(), try await seeing.get())
        try sound.check()
        try picture.check()
        guard let heard = ClockRate(of: sound), let seen = ClockRate(of: picture) else {
            throw CaptureError(.usage, "\(context.planned.name) takes a camera and a microphone.")
        }
        // Reported even if it is uncertain: the uncertainty has its own limit, which a short capture fails.
        let drift = ClockDrift(of: heard, against: seen)
        return CheckFindings(drift.measures(), series: drift.series)
    }
}

extension ClockRate {
    /// Clock of a device by the record of its capture; `nil` for one without any rate.
    fileprivate init?(of record: StreamRecord) {
        switch record.media {
        case .video(let format):
            self.init(record.frames, rate: (format.frameRate.numerator, format.frameRate.denominator))
        case .audio(let format): self.init(record.periods, rate: (format.sampleRate, 1))
        }
    }
}

/// Claps that were both seen and heard.
///
/// *thread-safe*
struct ClapPairs: Sendable {
    private let pairs: [(seen: Int64, heard: Int64)]
    /// Claps that only one of the two has.
    private let missed: Int
    /// Numbers of claps in the time that counts.
    let seen: Int
    let heard: Int

    /// Longest time between a flash and its click, in ns: less than half of the time from one clap to the next.
    private static let reach: Int64 = 400_000_000

    /// Pairs each clap with the nearest one of the other device. Claps near the ends of the captures don't count, as their other
    /// half may not have been captured.
    ///
    /// - Parameters:
    ///   - seen: times of flashes, CLOCK_MONOTONIC in ns.
    ///   - pictures: times of the first and the last frame; `nil` without any.
    ///   - heard: times of clicks.
    ///   - sound: times of the first and the last sample.
    init(seen: [Int64], in pictures: ClosedRange<Int64>?, heard: [Int64], in sound: ClosedRange<Int64>?) {
        let begin = max(pictures?.lowerBound ?? 0, sound?.lowerBound ?? 0) + Self.reach
        let end = min(pictures?.upperBound ?? 0, sound?.upperBound ?? 0) - Self.reach
        func isInside(_ time: Int64) -> Bool { begin <= time && time <= end }
        func nearest(_ time: Int64, among times: [Int64]) -> Int64? {
            times.min { abs($0 - time) < abs($1 - time) }.flatMap { abs($0 - time) <= Self.reach ? $0 : nil }
        }
        let (flashes, clicks) = (seen.filter(isInside), heard.filter(isInside))
        pairs = flashes.compactMap { flash in nearest(flash, among: heard).map { (flash, $0) } }
        missed = flashes.count - pairs.count + clicks.count { nearest($0, among: seen) == nil }
        (self.seen, self.heard) = (flashes.count, clicks.count)
    }

    /// Differences of the times; without a clap that both have, their lack is what fails.
    var findings: CheckFindings {
        let sync = EventSync(pairs)
        let missed = Measure("claps_missed", Double(missed), "claps", .lower)
        var findings = CheckFindings(sync.measures + [missed], series: sync.series)
        if pairs.isEmpty {
            findings.absent = ["sync_mean", "sync_deviation"]
            findings.message = "\(seen) flashes and \(heard) clicks were found, but no pair of them."
        }
        return findings
    }
}
