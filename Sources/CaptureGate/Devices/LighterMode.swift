import CaptureBase

/// What a camera can deliver over a bus that had no room for another format.
enum FallbackMode {
    /// The best mode that needs less: the same picture compressed, else the most pixels a second of the same pixel format,
    /// half as many at most.
    ///
    /// - Returns: `nil` where the camera has none.
    static func best(of modes: [VideoMode], than format: VideoFormat) -> (mode: VideoMode, rate: FrameRate)? {
        let offers = modes.flatMap { mode in mode.frameRates.map { (mode: mode, rate: $0) } }
        return fastest(offers.filter { isCompressed($0.mode, $0.rate, insteadOf: format) })
            ?? fastest(
                offers.filter {
                    $0.mode.pixelFormat == format.pixelFormat && 2 * pixels($0.mode, $0.rate) <= pixels(format)
                })
    }

    private static func isCompressed(_ mode: VideoMode, _ rate: FrameRate, insteadOf format: VideoFormat) -> Bool {
        mode.pixelFormat.isCompressed && !format.pixelFormat.isCompressed
            && (mode.width, mode.height) == (format.width, format.height)
            && rate.framesPerSecond <= format.frameRate.framesPerSecond
    }

    private static func fastest(_ offers: [(mode: VideoMode, rate: FrameRate)]) -> (mode: VideoMode, rate: FrameRate)? {
        offers.max { pixels($0.mode, $0.rate) < pixels($1.mode, $1.rate) }
    }

    private static func pixels(_ mode: VideoMode, _ rate: FrameRate) -> Double {
        Double(mode.width * mode.height) * rate.framesPerSecond
    }

    private static func pixels(_ format: VideoFormat) -> Double {
        Double(format.width * format.height) * format.frameRate.framesPerSecond
    }
}
