import CaptureGate

/// Modes of a camera, each with a format, a size and a rate, from what it lists.
///
/// *thread-safe*
struct ModeList: Sendable {
    /// In the order of the camera's list.
    let modes: [VideoSettings]
    /// Number of modes before some were removed.
    let listed: Int
    private let device: DeviceID

    /// Modes that are kept: some minutes of opening and closing.
    static let most = 500

    /// - Parameters:
    ///   - device: a device whose formats were queried; without them there are no modes.
    ///   - sample: modes to choose at random; `nil` keeps ``most``.
    init(_ device: Device, sample: ModeSample? = nil) {
        self.device = device.id
        guard case .video(let listed) = device.formats else {
            (modes, self.listed) = ([], 0)
            return
        }
        let all = listed.flatMap(Self.modes)
        self.listed = all.count
        // Evenly over the list, so that some of each format remain.
        let spread = all.count <= Self.most ? all : (0..<Self.most).map { all[$0 * all.count / Self.most] }
        modes = sample?.chosen(from: all) ?? spread
    }

    /// A mode and another one, of another size if there is any, otherwise of another format or rate.
    ///
    /// - Parameter asked: settings of the first mode; missing ones come from the camera's first mode.
    /// - Returns: `nil` for a camera of one mode.
    /// - Throws: `.usage` for settings that the camera does not list.
    func pair(_ asked: VideoSettings) throws(CaptureError) -> (VideoSettings, VideoSettings)? {
        guard let first = modes.first(where: { $0.has(asked) }) else {
            throw CaptureError(
                .usage, "\(device) does not list \(asked.mode).",
                remedies: [Remedy("Choose a listed mode.", .listFormats(device: device.rawValue))])
        }
        let other =
            modes.first { $0.width != first.width || $0.height != first.height }
            ?? modes.first { $0.pixelFormat != first.pixelFormat } ?? modes.first { $0.frameRate != first.frameRate }
        return other.map { (first, $0) }
    }

    /// Each size with each rate; of a range of sizes its two ends and the first step.
    private static func modes(_ mode: VideoMode) -> [VideoSettings] {
        var sizes = [(mode.width, mode.height)]
        if let smaller = mode.smaller {
            let step = (smaller.width + smaller.widthStep, smaller.height + smaller.heightStep)
            let between = step.0 < mode.width && step.1 < mode.height ? [step] : []
            sizes = [(smaller.width, smaller.height)] + between + sizes
        }
        // A camera that tells no rate is tried with its own.
        let rates: [FrameRate?] = mode.frameRates.isEmpty ? [nil] : mode.frameRates
        return sizes.flatMap { size in
            rates.map {
                VideoSettings(width: size.0, height: size.1, pixelFormat: mode.pixelFormat, frameRate: $0)
            }
        }
    }
}

extension VideoSettings {
    /// Words for people: `YUYV 640x480 at 30`.
    var mode: String {
        let size = "\(width.map(String.init) ?? "?")x\(height.map(String.init) ?? "?")"
        return "\(pixelFormat?.description ?? "any format") \(size)" + (frameRate.map { " at \($0)" } ?? "")
    }

    /// True if all requested settings are the same.
    fileprivate func has(_ asked: VideoSettings) -> Bool {
        (asked.width ?? width) == width && (asked.height ?? height) == height
            && (asked.pixelFormat ?? pixelFormat) == pixelFormat && (asked.frameRate ?? frameRate) == frameRate
    }
}

/// Some modes of many, chosen at random: the same ones for the same seed.
///
/// *thread-safe*
struct ModeSample: Sendable {
    /// Number of modes to choose.
    let count: Int
    /// Number that decides the choice; a report prints it, and a plan can repeat it.
    let seed: Int

    /// Returns `count` elements in their order, or all of them if there are fewer.
    func chosen<Mode>(from modes: [Mode]) -> [Mode] {
        // Doubled, because the generator ignores the lowest bit.
        var noise = TestNoise(seed: UInt64(truncatingIfNeeded: seed) << 1)
        var chosen: [Mode] = []
        // Knuth's algorithm S: every set of this size is as likely as every other one.
        for (index, mode) in modes.enumerated() where noise.next(below: modes.count - index) < count - chosen.count {
            chosen.append(mode)
        }
        return chosen
    }
}

/// Modes of a microphone: all pairs of channels, formats and rates, the third one standing still.
///
/// *thread-safe*
struct SoundModeList: Sendable {
    /// Each mode once.
    let modes: [AudioSettings]
    private let ranges: AudioRanges

    private static let usualRates = [
        8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000,
    ]
    private static let usualChannels = [1, 2, 3, 4, 6, 8]

    /// - Parameter device: a device whose formats were queried; without them there are no modes.
    init?(_ device: Device) {
        guard case .audio(let ranges) = device.formats, let format = ranges.sampleFormats.first else { return nil }
        let rates = Self.values(in: ranges.sampleRates, Self.usualRates)
        // A software PCM takes thousands of channels.
        let channels = Self.values(in: ranges.channels.clamped(to: 1...32), Self.usualChannels)
        let (rate, count) = (rates.contains(48_000) ? 48_000 : rates[0], channels.contains(2) ? 2 : channels[0])
        var modes: [AudioSettings] = []
        for channel in channels {
            modes += ranges.sampleFormats.map { Self.mode(rate, channel, $0) }
            modes += rates.map { Self.mode($0, channel, format) }
        }
        for rate in rates { modes += ranges.sampleFormats.map { Self.mode(rate, count, $0) } }
        var seen: Set<AudioSettings> = []
        self.modes = modes.filter { seen.insert($0).inserted }
        self.ranges = ranges
    }

    /// True if the device has promised the mode: a range may have holes between its two ends.
    func isPromised(_ mode: AudioSettings) -> Bool {
        let rates = [ranges.sampleRates.lowerBound, ranges.sampleRates.upperBound]
        let channels = [ranges.channels.lowerBound, ranges.channels.upperBound]
        return mode.sampleRate.map(rates.contains) ?? true && mode.channels.map(channels.contains) ?? true
    }

    /// The two ends of a range, and the usual values between them.
    private static func values(in range: ClosedRange<Int>, _ usual: [Int]) -> [Int] {
        Set(usual.filter(range.contains) + [range.lowerBound, range.upperBound]).sorted()
    }

    private static func mode(_ rate: Int, _ channels: Int, _ format: SampleFormat) -> AudioSettings {
        var mode = AudioSettings()
        (mode.sampleRate, mode.channels, mode.sampleFormat) = (rate, channels, format)
        return mode
    }
}

extension AudioSettings {
    /// Words for people: `S16_LE, 2 channels at 48000 Hz`.
    var mode: String {
        "\(sampleFormat?.rawValue ?? "any format"), \(channels ?? 0) channels at \(sampleRate ?? 0) Hz"
    }
}
