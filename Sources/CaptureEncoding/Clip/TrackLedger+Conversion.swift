import CaptureBase

extension TrackLedger {
    /// Ledger in frames of a file whose sample rate is another than the device's.
    ///
    /// Each number is scaled and rounded separately; `delivered` gets the rest, so that the sum matches the file.
    /// - Parameters:
    ///   - input: rate of the device, Hz.
    ///   - output: rate of the file, Hz.
    ///   - stored: frames in the file; `nil` while they are not known.
    ///   - late: frames that a mix dropped, because they came too late.
    func converted(from input: Int, to output: Int, stored: UInt64?, late: UInt64) -> TrackLedger {
        let ratio = FrameRatio(input, output)
        var ledger = self
        let frames = stored ?? ratio.scale(self.frames)
        ledger.lost = lost.scaled(by: ratio)
        ledger.lost.encoder += late
        ledger.filled = min(ratio.scale(filled), frames)
        ledger.corrected = Int64(ratio.scale(corrected.magnitude)) * corrected.signum()
        ledger.corrected = min(ledger.corrected, Int64(frames - ledger.filled))
        ledger.delivered = UInt64(Int64(frames - ledger.filled) - ledger.corrected)
        ledger.asked = ledger.delivered + ledger.lost.total
        ledger.marks = marks?.map { LossEvent(atNanoseconds: $0.atNanoseconds, frames: max(1, ratio.scale($0.frames))) }
        guard let first = firstNanoseconds, frames > 0 else {
            (ledger.firstNanoseconds, ledger.lastNanoseconds) = (nil, nil)
            return ledger
        }
        ledger.lastNanoseconds = first + SampleClock(rate: output).nanoseconds(Int64(frames) - 1)
        return ledger
    }

    /// Ledger of a mix. Its losses are those of all microphones; a frame counts as filled where the most silent of them has none.
    /// - Parameters:
    ///   - parts: ledgers of the microphones, in frames of the file.
    ///   - track: of the file.
    ///   - stored: frames in the file; `nil` while they are not known.
    init(mixing parts: [TrackLedger], as track: ClipTrack, stored: UInt64?) {
        self.init(kind: .audio, name: track.name, device: track.device)
        let frames = stored ?? parts.map(\.frames).max() ?? 0
        for part in parts {
            lost += part.lost
            xruns += part.xruns
            filled = max(filled, min(part.filled, frames))
        }
        delivered = frames - filled
        asked = delivered + lost.total
        priority = parts.first?.priority
        startOffsetNanoseconds = parts.first?.startOffsetNanoseconds ?? 0
        firstNanoseconds = parts.compactMap(\.firstNanoseconds).min()
        lastNanoseconds = parts.compactMap(\.lastNanoseconds).max()
        let all = parts.compactMap(\.marks)
        marks = all.isEmpty ? nil : all.flatMap(\.self).sorted { $0.atNanoseconds < $1.atNanoseconds }
    }
}

/// Ratio of two sample rates.
package struct FrameRatio {
    private let input: UInt64
    private let output: UInt64

    /// - Parameters:
    ///   - input: Hz.
    ///   - output: Hz.
    package init(_ input: Int, _ output: Int) { (self.input, self.output) = (UInt64(input), UInt64(output)) }

    /// Number of frames at the second rate that last as long, rounded to the nearest.
    package func scale(_ frames: UInt64) -> UInt64 {
        // In two steps, so that the product does not overflow.
        frames / input * output + (frames % input * output + input / 2) / input
    }
}

extension LostFrames {
    /// Numbers of frames at another rate.
    fileprivate func scaled(by ratio: FrameRatio) -> LostFrames {
        var lost = LostFrames()
        for cause in Self.causes { lost[keyPath: cause] = ratio.scale(self[keyPath: cause]) }
        return lost
    }
}
