import CaptureRig

/// A report like one from a morning at a bench, with all verdicts, all kinds of plots, repeats and images, for viewing the page.
/// The same at each call.
enum RigReportSample {
    static var report: RigReport {
        RigReport(
            plan: "incoming-inspection", profile: "certification",
            host: .init(
                name: "bench-07", kernel: "6.12.41-rt10", machine: "x86_64",
                versions: ["capturegate": "0.9.0", "alsa-lib": "1.2.14", "libv4l": "1.28.1", "uvcvideo": "1.1.1"]),
            began: "2025-03-14T08:31:07Z", seconds: 754.2, end: .complete,
            results: camera() + parallel() + sound() + rest())
    }

    /// Images of the report, for its closure.
    static func file(_ path: String) -> [UInt8]? {
        guard path.hasPrefix("frames/") else { return nil }
        let seed = path.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        return SamplePicture.png(width: 128, height: 96) { x, y in
            // A test chart of bars with a block that is torn, or repeated.
            let bars: [(UInt8, UInt8, UInt8)] = [
                (235, 235, 235), (235, 235, 16), (16, 235, 235), (16, 235, 16), (235, 16, 235), (235, 16, 16),
                (16, 16, 235),
            ]
            let isTorn = (seed % 60 + 10..<seed % 60 + 26).contains(y)
            let bar = bars[((isTorn ? x + 31 : x) * bars.count / 128) % bars.count]
            return y > 76 ? (UInt8(x * 2), UInt8(x * 2), UInt8(x * 2)) : bar
        }
    }

    // -- devices

    private static let desk = RigDevice(
        name: "desk-camera", id: "usb-046d:082d-5A1C3F20", label: "HD Pro Webcam C920", driver: "uvcvideo")
    private static let stage = RigDevice(
        name: "stage-camera", id: "usb-0bda:58b0-200901010001", label: "Integrated Camera: Stage", driver: "uvcvideo")
    private static let gone = RigDevice(name: "spare-camera", id: "usb-1bcf:2c99-01.00.00", label: "Full HD webcam")
    private static let microphone = RigDevice(
        name: "boom", id: "usb-1235:8211-Y7N0", label: "Scarlett Solo USB", driver: "snd-usb-audio")

    // -- results

    private static func camera() -> [CheckResult] {
        let modes = [
            ("YUYV", "640x480", 30.0), ("MJPG", "1280x720", 30), ("MJPG", "1920x1080", 30), ("H264", "1920x1080", 60),
        ]
        return [desk, stage].enumerated().flatMap { index, device in
            modes.enumerated().flatMap { rank, mode in
                (1...3).flatMap { repeats in
                    streaming(
                        device, mode, repeats, isBad: index == 1 && rank == 3 && repeats > 1,
                        isNear: index == 0 && rank == 2)
                }
            }
        }
    }

    /// Rate and jitter of one stream.
    private static func streaming(
        _ device: RigDevice, _ mode: (String, String, Double), _ repeats: Int, isBad: Bool, isNear: Bool
    ) -> [CheckResult] {
        var random = SampleNoise(seed: UInt64(repeats * 977 + mode.0.utf8.count * 13 + Int(mode.2) + (isBad ? 7 : 0)))
        let period = 1000 / mode.2
        let times = (0..<600).map { frame in
            Series.Point(
                Double(frame) / mode.2,
                period + random.bell() * (isNear ? 0.14 : 0.06) + (isBad && frame % 97 == 40 ? period : 0))
        }
        let mean = times.reduce(0) { $0 + $1.y } / 600
        let off = times.map { abs($0.y - period) }.max() ?? 0
        let variant = [CheckResult.Choice("format", mode.0), .init("size", mode.1), .init("rate", "\(Int(mode.2))")]
        let name = "\(device.name).\(mode.0)-\(mode.1)-\(Int(mode.2))" + (repeats > 1 ? ".\(repeats)" : "")
        let rate = CheckResult(
            name: "camera.rate.\(name)", check: "camera.rate", device: device, variant: variant, round: repeats,
            message: isBad ? "6 frames arrived twice as late as they should; the sequence has no gap there." : nil,
            measures: [
                Measure("frame_rate", 1000 / mean, "Hz", .target, limit: .within(mode.2 * 0.005, of: mode.2)),
                Measure("worst_interval", off / period * 100, "%", .lower, limit: Limit(most: 1.5, marginalAbove: 1.2)),
                Measure("frames", 600, "frames", .none),
            ],
            series: isBad || repeats == 1
                ? [
                    Series(
                        "Intervals over time", .line, x: "time (s)", y: "interval (ms)", times,
                        limits: [period * 0.985, period * 1.015]),
                    Series("Intervals", .histogram, x: "interval (ms)", y: "frames", bars(times.map(\.y), 40)),
                ] : [],
            evidence: isBad
                ? (1...4).map {
                    .init(
                        file: "frames/\(repeats)-\($0 * 97 - 57).png",
                        caption: "frame \($0 * 97 - 57), \(Int(2 * period)) ms late")
                }
                : [],
            begins: Double(repeats) * 12.4, seconds: 10.3)
        guard repeats == 1 else { return [rate] }
        return [rate, firstFrame(device, variant, name, &random)]
    }

    private static func firstFrame(
        _ device: RigDevice, _ variant: [CheckResult.Choice], _ name: String, _ random: inout SampleNoise
    ) -> CheckResult {
        let opens = (0..<20).map { Series.Point(Double($0 + 1), 412 + random.bell() * 20) }
        return CheckResult(
            name: "camera.open.\(name)", check: "camera.open", device: device, variant: variant,
            measures: [
                Measure("first_frame", opens.map(\.y).max(), "ms", .lower, limit: Limit(most: 600, marginalAbove: 550)),
                Measure("median", 412, "ms", .lower),
            ],
            series: [Series("Open to first frame", .dots, x: "start", y: "time (ms)", opens, limits: [600])],
            begins: 48, seconds: 14)
    }

    private static func parallel() -> [CheckResult] {
        [
            CheckResult(
                name: "camera.present.spare-camera", check: "camera.present", device: gone, verdict: .miss,
                message: "No device has this id. Is it plugged in? Its port was seen last at 2025-03-13 17:02."),
            CheckResult(
                name: "camera.frozen.stage-camera", check: "camera.frozen", device: stage,
                message: "Pictures 211 to 236 are the same to the last bit.",
                measures: [
                    Measure("frozen", 4.33, "%", .lower, limit: Limit(most: 1)),
                    Measure("black", 0, "%", .lower, limit: Limit(most: 1)),
                ],
                evidence: (211...217).map { .init(file: "frames/\($0).png", caption: "frame \($0)") }
                    + [.init(file: "clips/stage.mkv", caption: "the whole clip, 20 s")],
                begins: 301, seconds: 20.4),
            CheckResult(
                name: "camera.light.desk-camera", check: "camera.light", device: desk, verdict: .error,
                message:
                    "The light did not go out: `relay off 3` ended with code 1 (no such port). Nothing was measured.",
                measures: [Measure("rate_in_the_dark", nil, "Hz", .higher, limit: Limit(least: 28))], begins: 330,
                seconds: 1.2),
            CheckResult(
                name: "camera.shutter.stage-camera", check: "camera.shutter", device: stage, verdict: .skip,
                message: "The device has no privacy control."),
        ]
    }

    private static func sound() -> [CheckResult] {
        var random = SampleNoise(seed: 5)
        let spectrum = (0..<2000).map { index in
            let frequency = Double(index + 1) * 12
            let harmonic = [(996.0, -3.0), (1992, -31), (2988, -44), (3984, -58)].first { abs($0.0 - frequency) < 6 }
            return Series.Point(frequency, harmonic?.1 ?? -96 + random.bell() * 4 - frequency / 4000)
        }
        let drift = (0..<300).map { Series.Point(Double($0), Double($0) * 0.0314 + random.bell() * 0.4) }
        return [
            CheckResult(
                name: "sound.distortion.boom", check: "sound.distortion", device: microphone,
                variant: [.init("rate", "48000")],
                measures: [
                    Measure("distortion_and_noise", 4.12, "%", .lower, limit: Limit(most: 1, marginalAbove: 0.8)),
                    Measure("tone", 996.4, "Hz", .target, limit: .within(5, of: 997)),
                    Measure("signal_to_noise", 71.2, "dB", .higher, limit: Limit(least: 60)),
                    Measure("loudest_other_peak", -28, "dB", .lower, limit: Limit(most: -40)),
                ],
                series: [
                    Series(
                        "Spectrum of the tone", .spectrum, x: "frequency (Hz)", y: "level (dB)", spectrum, limits: [-40]
                    )
                ],
                begins: 402, seconds: 6),
            CheckResult(
                name: "sound.rate.boom", check: "sound.rate", device: microphone, variant: [.init("rate", "48000")],
                measures: [
                    Measure(
                        "rate", 48004.37, "Hz", .target,
                        limit: Limit(least: 47995.2, most: 48004.8, marginalBelow: 47996, marginalAbove: 48004)),
                    Measure("residual", 2.31, "frames", .lower, limit: Limit(most: 10)),
                ],
                series: [Series("Sound against its clock", .line, x: "time (s)", y: "drift (ms)", drift)],
                begins: 410, seconds: 30),
            CheckResult(
                name: "sound.xruns.boom", check: "sound.xruns", device: microphone,
                measures: [
                    Measure("xruns", 0, "", .lower, limit: Limit(most: 0)), Measure("periods", 6000, "periods", .none),
                ],
                begins: 441, seconds: 60),
        ]
    }

    private static func rest() -> [CheckResult] {
        [
            CheckResult(
                name: "clip.sync.desk-camera", check: "clip.sync", device: desk,
                measures: [
                    Measure("offset", -6.2, "ms", .target, limit: .within(20, of: 0)),
                    Measure("deviation", 1.9, "ms", .lower, limit: Limit(most: 5)),
                ], begins: 520, seconds: 31),
            CheckResult(
                name: "gate.revoke", check: "gate.revoke",
                measures: [
                    Measure("revoke", 3.4, "ms", .lower, limit: Limit(most: 100)),
                    Measure("questions", 0, "", .lower, limit: Limit(most: 0)),
                ], begins: 560, seconds: 2),
            CheckResult(
                name: "host.scheduling", check: "host.scheduling",
                measures: [Measure("p99", 61, "µs", .lower), Measure("p99_9", 118, "µs", .lower)], begins: 570,
                seconds: 30),
        ]
    }

    private static func bars(_ values: [Double], _ count: Int) -> [Series.Point] {
        guard let least = values.min(), let most = values.max(), most > least else { return [] }
        let width = (most - least) / Double(count)
        var points = (0..<count).map { Series.Point(least + Double($0) * width, 0) }
        for value in values { points[min(Int((value - least) / width), count - 1)].y += 1 }
        return points
    }
}

/// Noise that is the same each time.
struct SampleNoise {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 2_862_933_555_777_941_757 &+ 3_037_000_493 }

    /// A number from 0 up to 1.
    mutating func next() -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(state >> 33) / Double(1 << 31)
    }

    /// A sum of six, which is near to a bell curve of width 1.
    mutating func bell() -> Double { (0..<6).reduce(0.0) { sum, _ in sum + next() } * 1.4 - 4.2 }
}

/// An image file without compression.
enum SamplePicture {
    static func png(width: Int, height: Int, _ color: (Int, Int) -> (UInt8, UInt8, UInt8)) -> [UInt8] {
        let pixels = (0..<height).flatMap { y -> [UInt8] in
            [0]
                + (0..<width).flatMap { x -> [UInt8] in
                    let (red, green, blue) = color(x, y)
                    return [red, green, blue]
                }
        }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", word(width) + word(height) + [8, 2, 0, 0, 0])
            + chunk("IDAT", stored(pixels)) + chunk("IEND", [])
    }

    private static func word(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let bytes = name.utf8 + body
        return word(body.count) + bytes + word(Int(FrameChecksum.crc32(bytes.span)))
    }

    /// Blocks of RFC 1951 that are stored uncompressed, in the wrapping of RFC 1950.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let blocks = stride(from: 0, to: bytes.count, by: 65535).flatMap { start -> [UInt8] in
            let part = bytes[start..<min(start + 65535, bytes.count)]
            let size = UInt16(part.count)
            let isLast: UInt8 = start + 65535 >= bytes.count ? 1 : 0
            return [isLast, UInt8(size & 255), UInt8(size >> 8), UInt8(~size & 255), UInt8(~size >> 8)] + part
        }
        let sum = bytes.reduce((1, 0)) { sums, byte in
            let low = (sums.0 + Int(byte)) % 65521
            return (low, (sums.1 + low) % 65521)
        }
        return [0x78, 0x01] + blocks + word(sum.1 << 16 | sum.0)
    }
}
