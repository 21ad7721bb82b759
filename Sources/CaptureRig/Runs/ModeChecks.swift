import CaptureGate
import CaptureRecording

extension CheckMakers {
    /// Checks of formats and sizes.
    static let mode: [String: Maker] = [
        "camera.capabilities": capabilities, "camera.modes": modes, "camera.required_modes": requiredModes,
        "sound.modes": soundModes,
    ]

    private static func modes(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let sample = context.modeSample
        let list = ModeList(try await context.askedDevice(), sample: sample)
        guard !list.modes.isEmpty else {
            throw CaptureError(.unavailable, "\(try context.device().id) lists no modes.")
        }
        var trial = ModeTrial(context, frames: context.count("frames") ?? 5)
        for mode in list.modes {
            var capture = trial.capture
            capture.video = mode
            try await trial.run(capture, mode.mode)
        }
        var findings = trial.findings
        findings.add(listed: list.listed, tried: list.modes.count, sample)
        return findings
    }

    private static func soundModes(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        guard let list = SoundModeList(try await context.askedDevice()) else {
            throw CaptureError(.unavailable, "\(try context.device().id) lists no known sample format.")
        }
        var trial = ModeTrial(context, frames: context.count("periods") ?? 5)
        let sample = context.modeSample
        let modes = sample?.chosen(from: list.modes) ?? list.modes
        for mode in modes {
            var capture = trial.capture
            capture.audio = mode
            try await trial.run(capture, mode.mode, isPromised: list.isPromised(mode))
        }
        var findings = trial.findings
        findings.add(listed: list.modes.count, tried: modes.count, sample)
        return findings
    }

    private static func requiredModes(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let required = try (context.words("modes") ?? []).map { (word) throws(CaptureError) in
            try RequiredMode(word)
        }
        let device = try await context.askedDevice()
        guard case .video(let modes) = device.formats else {
            throw CaptureError(.unavailable, "\(device.id) lists no modes.")
        }
        let missing = required.filter { mode in !modes.contains(where: mode.isMet) }
        var findings = CheckFindings([Measure("missing", Double(missing.count), "modes", .lower)])
        findings.add(missing.map(\.word), "not listed")
        return findings
    }
}

extension CheckContext {
    /// The sample of the plan; `nil` if the plan wants all modes. Without a seed in the plan, each run has another one.
    fileprivate var modeSample: ModeSample? {
        guard let wanted = count("sample"), wanted > 0 else { return nil }
        return ModeSample(count: wanted, seed: count("seed") ?? .random(in: 0..<1_000_000))
    }
}

/// Modes of a device that are set one after another, and what came of them.
///
/// *session-bound*
private struct ModeTrial {
    /// A capture of the check's length, without settings.
    let capture: StreamCapture
    private let context: CheckContext
    private var tried = 0
    private var changed: [String] = []
    private var failed: [String] = []
    private var refused: [String] = []

    init(_ context: CheckContext, frames: Int) {
        var capture = StreamCapture(for: .seconds(3600))
        capture.frames = max(frames, 1)
        (self.capture, self.context) = (capture, context)
    }

    /// Captures in a mode.
    ///
    /// - Parameter isPromised: false for a mode that the device need not have.
    /// - Throws: errors of the permission or the bench, not of the mode.
    mutating func run(_ capture: StreamCapture, _ mode: String, isPromised: Bool = true) async throws(CaptureError) {
        let record: StreamRecord
        do throws(CaptureError) {
            record = try await context.streams.record(capture, from: context.device())
        } catch  where error.isOfDevice {
            tried += 1
            failed.append(mode)
            return
        }
        try CaptureError.checkInterruption()
        let isChanged = !record.differences.isEmpty || !record.isFullSize
        if isChanged, !isPromised { return refused.append(mode) }
        tried += 1
        if record.failure != nil || record.headers.isEmpty { failed.append(mode) }
        if isChanged { changed.append(mode) }
    }

    /// Numbers, and the first modes of each kind.
    var findings: CheckFindings {
        var findings = CheckFindings([
            Measure("modes", Double(tried), "modes", .higher),
            Measure("changed", Double(changed.count), "modes", .lower),
            Measure("failed", Double(failed.count), "modes", .lower),
        ])
        findings.add(failed, "without a frame")
        findings.add(changed, "changed by the driver")
        findings.add(refused, "inside a range, but not supported")
        return findings
    }
}

extension StreamRecord {
    /// True if no frame is smaller than its format says.
    fileprivate var isFullSize: Bool {
        guard case .video(let format) = media else { return true }
        return headers.allSatisfy { $0.byteCount >= format.leastBytes }
    }
}

extension CheckFindings {
    /// Adds how many modes were tried, if not all were, and the seed that chose them.
    fileprivate mutating func add(listed: Int, tried: Int, _ sample: ModeSample?) {
        guard listed > tried else { return }
        let seed = sample.map { ", chosen by seed \($0.seed)" } ?? ""
        add("\(tried) of \(listed) listed modes were tested\(seed).")
    }

    /// Adds a sentence to the message.
    mutating func add(_ sentence: String) { message = message.map { "\($0) \(sentence)" } ?? sentence }

    /// Adds a sentence with the first few of some names; none if there are no names.
    ///
    /// - Parameter kind: description of the names: `not listed`.
    mutating func add(_ names: [String], _ kind: String) {
        guard !names.isEmpty else { return }
        let rest = names.count > 3 ? " and \(names.count - 3) more" : ""
        add("\(names.count) \(kind): " + names.prefix(3).joined(separator: "; ") + rest + ".")
    }
}

/// A mode that a plan requires: `640x480@30` or `MJPG:1280x720@30000/1001`.
///
/// *thread-safe*
struct RequiredMode: Hashable, Sendable {
    /// The plan's own word.
    let word: String
    let pixelFormat: PixelFormat?
    let width: Int
    let height: Int
    let rate: FrameRate

    /// - Throws: `.usage` for a word that is no mode.
    init(_ word: String) throws(CaptureError) {
        let parts = word.split(separator: "@", omittingEmptySubsequences: false)
        let picture = parts[0].split(separator: ":", omittingEmptySubsequences: false)
        let format = picture.count == 2 ? PixelFormat(String(picture[0])) : nil
        guard parts.count == 2, picture.count == 1 || format != nil, picture.count < 3,
            case .size(let width, let height)? = PlanValues.value(of: String(picture[picture.count - 1]), .size),
            case .rate(let numerator, let denominator)? = PlanValues.value(of: String(parts[1]), .rate),
            let rate = FrameRate(numerator, denominator)
        else {
            throw CaptureError(
                .usage, "\(word) is not a mode.", remedies: [Remedy("Write 640x480@30, or MJPG:640x480@30.")])
        }
        (self.word, pixelFormat, self.width, self.height, self.rate) = (word, format, width, height, rate)
    }

    /// True if what a camera lists has this mode. Rates that differ by less than 0.01 are equal: drivers round intervals.
    func isMet(by mode: VideoMode) -> Bool {
        guard pixelFormat.map({ $0 == mode.pixelFormat }) ?? true, hasSize(mode) else { return false }
        let (asked, rates) = (rate.framesPerSecond, mode.frameRates.map(\.framesPerSecond))
        if rates.contains(where: { abs($0 - asked) < 0.01 }) { return true }
        guard mode.takesRatesBetween, let most = rates.max(), let least = rates.min() else { return false }
        return asked >= least && asked <= most
    }

    private func hasSize(_ mode: VideoMode) -> Bool {
        if (width, height) == (mode.width, mode.height) { return true }
        guard let smaller = mode.smaller else { return false }
        return (smaller.width...max(mode.width, smaller.width)).contains(width)
            && (smaller.height...max(mode.height, smaller.height)).contains(height)
            && (width - smaller.width) % smaller.widthStep == 0 && (height - smaller.height) % smaller.heightStep == 0
    }
}
