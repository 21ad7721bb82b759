import CaptureRealtime

extension CameraSettings {
    /// True if nothing of the mode is left open.
    private var isWhole: Bool { width > 0 && height > 0 && fourcc != 0 }

    /// The same with all that was left open: the mode that suits live recording best, whatever the last program left in the
    /// driver, and so the same from one recording to the next.
    ///
    /// The largest picture of at most 1920x1080 that comes as fast as asked, else at 30 a second: raw where the camera is fast
    /// enough, else as JPEG images. Where no mode is so fast, the fastest. What was asked for stays, also where no mode has it: the
    /// driver then takes the nearest.
    ///
    /// - Parameter modes: in the driver's order.
    func completed(from modes: [VideoMode]) -> CameraSettings {
        guard !isWhole, !isOfCard else { return self }
        let offers = modes.enumerated().compactMap { ModeOffer($1, number: $0, for: self) }
        guard let best = offers.max(by: { $0.isWorse(than: $1) }) else { return self }
        var settings = self
        settings.fourcc = best.mode.pixelFormat.rawValue
        if width <= 0 || height <= 0 { (settings.width, settings.height) = (best.width, best.height) }
        return settings
    }

    /// True if a capture card's input is set, whose signal says the size.
    private var isOfCard: Bool { input >= 0 || standard != 0 || detectsStandard || timings != nil }
}

/// Picture that a mode of a camera would give.
private struct ModeOffer {
    let mode: VideoMode
    let width: Int
    let height: Int
    /// Place in the driver's list.
    private let number: Int
    /// Frames a second, at most what is wanted; a driver that tells no rate is taken at its word.
    private let rate: Double

    /// - Returns: `nil` for a mode that lacks what is asked for, and for frames that nobody asked for and that are no pictures.
    init?(_ mode: VideoMode, number: Int, for asked: CameraSettings) {
        let fits = asked.fourcc == 0 ? Self.rank(mode.pixelFormat) != nil : mode.pixelFormat.rawValue == asked.fourcc
        guard fits else { return nil }
        let isSized = asked.width > 0 && asked.height > 0
        guard let size = isSized ? mode.size(exactly: asked.width, asked.height) : mode.size(within: Self.most) else {
            return nil
        }
        (self.mode, self.number, width, height) = (mode, number, size.width, size.height)
        let wanted = Double(asked.fpsNumerator) / Double(max(asked.fpsDenominator, 1))
        // A hundredth less is as fast: 29.97 for 30.
        rate = min(wanted * 0.99, mode.frameRates.map(\.framesPerSecond).max() ?? .infinity)
    }

    /// Largest picture that is taken by itself; a larger one must be asked for.
    private static let most = (width: 1920, height: 1080)

    func isWorse(than other: ModeOffer) -> Bool { order < other.order }

    /// Speed, then size, then kind, then the driver's order.
    private var order: (Double, Int, Int, Int, Int) {
        let isLarge = width > Self.most.width || height > Self.most.height
        let area = width * height
        return (rate, isLarge ? 0 : 1, isLarge ? -area : area, -(Self.rank(mode.pixelFormat) ?? .max), -number)
    }

    /// Formats that are recorded as they come, then images that the camera has compressed, then those that must be converted.
    private static func rank(_ format: PixelFormat) -> Int? {
        if [.yuyv, .uyvy, .nv12, .yuv420].contains(format) { return 0 }
        if format.isCompressed { return 1 }
        return [.grey, .rgb24, .bgr24].contains(format) || ConvertibleLayout.known[format] != nil ? 2 : nil
    }
}

extension VideoMode {
    /// A size, if the mode has it.
    fileprivate func size(exactly width: Int, _ height: Int) -> (width: Int, height: Int)? {
        guard let smaller else { return width == self.width && height == self.height ? (width, height) : nil }
        let fits =
            (smaller.width...max(smaller.width, self.width)).contains(width)
            && (smaller.height...max(smaller.height, self.height)).contains(height)
            && (width - smaller.width).isMultiple(of: smaller.widthStep)
            && (height - smaller.height).isMultiple(of: smaller.heightStep)
        return fits ? (width, height) : nil
    }

    /// The largest size of at most that many pixels in each direction; the smallest one of a mode that has no smaller.
    fileprivate func size(within most: (width: Int, height: Int)) -> (width: Int, height: Int)? {
        guard let smaller else { return (width, height) }
        func side(_ least: Int, _ greatest: Int, _ step: Int, _ most: Int) -> Int {
            least + max(0, min(greatest, most) - least) / step * step
        }
        return (
            side(smaller.width, width, smaller.widthStep, most.width),
            side(smaller.height, height, smaller.heightStep, most.height)
        )
    }
}
