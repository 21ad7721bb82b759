import CaptureGate

extension ClipTrack {
    /// Frames in what was handed in for one write.
    func frames(in data: RawSpan) throws(CaptureError) -> Int {
        switch media {
        case .audio(let format): try format.frames(in: data)
        case .video: 1
        }
    }

    /// How long so many frames last, nanoseconds.
    func nanoseconds(ofFrames frames: Int64) -> Int64 {
        switch media {
        case .audio(let format): format.nanoseconds(ofFrames: frames)
        case .video(let format): format.frameRate.frameNanoseconds * frames
        }
    }
}

extension ClipTrack {
    /// The inverse of `nanoseconds(ofFrames:)`.
    func frames(lasting nanoseconds: Int64) -> Int64 {
        switch media {
        case .audio(let format):
            let rate = Int64(format.sampleRate)
            return nanoseconds / 1_000_000_000 * rate
                + (nanoseconds % 1_000_000_000 * rate + 500_000_000) / 1_000_000_000
        case .video(let format): return nanoseconds / max(format.frameRate.frameNanoseconds, 1)
        }
    }
}
