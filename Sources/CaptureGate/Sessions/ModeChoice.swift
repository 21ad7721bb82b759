import CaptureRealtime

/// Modes that a camera reports, one query at a time: some drivers have thousands.
protocol CameraModes {
    /// Codes of its formats, in the driver's order.
    mutating func codes() -> [UInt32]

    /// Sizes of a format, without rates.
    mutating func sizes(_ code: UInt32) -> [VideoMode]

    /// Fastest rate of a size, in frames a second; the search ends with the first that is fast enough. Infinite where the driver
    /// tells none, which is then taken at its word.
    mutating func rate(of mode: VideoMode, width: Int, height: Int, enough: Double) -> Double
}

extension CameraSettings {
    /// Settings with all open choices filled in: the mode that suits live recording best. It does not depend on what the last
    /// program left in the driver, and so is the same for each recording.
    ///
    /// The largest frame of at most 1920x1080 at the requested rate, or at 30 per second: raw if the camera is fast enough,
    /// otherwise JPEG. If no mode is fast enough, the fastest. Requested settings stay, even if no mode has them: the driver then
    /// chooses the nearest.
    ///
    /// If the camera's own H.264 may be used, it is chosen if it delivers the requested rate in a larger frame than all others, or
    /// if all others are slower.
    func completed(by camera: inout some CameraModes) -> CameraSettings {
        guard isOpen, let best = ModeSearch(self).best(of: &camera) else { return self }
        var settings = self
        settings.fourcc = best.code
        if width <= 0 || height <= 0 { (settings.width, settings.height) = (best.width, best.height) }
        return settings
    }

    /// Nearest of a list of modes, with its rate, after open choices were filled in as for any camera.
    ///
    /// - Parameter modes: modes as the device reports them; a range may have any size.
    /// - Returns: `nil` if there are none.
    package func nearest(among modes: [VideoMode]) -> CameraSettings? {
        var listed = ListedModes(modes: modes)
        var settings = completed(by: &listed)
        let same = modes.filter { $0.pixelFormat.rawValue == settings.fourcc }
        let wanted = settings
        let ranked = (same.isEmpty ? modes : same).map { mode in (mode, mode.nearest(to: wanted)) }
        guard let (mode, size) = ranked.min(by: { $0.1.distance(to: wanted) < $1.1.distance(to: wanted) }) else {
            return nil
        }
        (settings.fourcc, settings.width, settings.height) = (mode.pixelFormat.rawValue, size.width, size.height)
        let rate = Double(fpsNumerator) / Double(max(fpsDenominator, 1))
        if !mode.has(rate), let near = mode.frameRates.min(by: { $0.distance(to: rate) < $1.distance(to: rate) }) {
            (settings.fpsNumerator, settings.fpsDenominator) = (near.numerator, near.denominator)
        }
        return settings
    }

    /// True if a part of the mode is left open. A capture card's signal says the size.
    var isOpen: Bool {
        let isOfCard = input >= 0 || standard != 0 || detectsStandard || timings != nil
        return !isOfCard && (width <= 0 || height <= 0 || fourcc == 0)
    }
}

/// Search for the best mode: by its speed, its size, its kind, and the driver's order.
private struct ModeSearch {
    private let asked: CameraSettings
    /// Frames a second; a hundredth less than asked is as fast: 29.97 for 30.
    private let enough: Double

    init(_ asked: CameraSettings) {
        self.asked = asked
        enough = 0.99 * Double(asked.fpsNumerator) / Double(max(asked.fpsDenominator, 1))
    }

    /// Mode with what it gives.
    struct Offer {
        let code: UInt32
        let width: Int
        let height: Int
        let rate: Double
    }

    func best(of camera: inout some CameraModes) -> Offer? {
        let codes = camera.codes()
        if asked.fourcc != 0 { return best(of: &camera, codes.filter { $0 == asked.fourcc }) }
        // Formats that need a conversion are queried only if there are no others.
        let (direct, compressed) = (codes.filter { Self.kind($0) == 0 }, codes.filter { Self.kind($0) == 1 })
        let usual = best(of: &camera, direct + compressed) ?? best(of: &camera, codes.filter { Self.kind($0) == 2 })
        guard asked.mayBePredicted, let own = best(of: &camera, codes.filter { $0 == PixelFormat.h264.rawValue }),
            own.rate >= enough, own.width <= Self.most.width, own.height <= Self.most.height
        else { return usual }
        return usual.map { isBetter(own, than: $0) ? own : $0 } ?? own
    }

    private func best(of camera: inout some CameraModes, _ codes: [UInt32]) -> Offer? {
        var best: Offer?
        for code in codes {
            for (mode, size) in sizes(camera.sizes(code)) {
                if let best, best.rate >= enough, !isBetter(size, than: (best.width, best.height)) { break }
                let rate = camera.rate(of: mode, width: size.width, height: size.height, enough: enough)
                let offer = Offer(code: code, width: size.width, height: size.height, rate: min(rate, enough))
                if best.map({ isBetter(offer, than: $0) }) ?? true { best = offer }
                if rate >= enough { break }
            }
        }
        return best
    }

    private typealias Size = (width: Int, height: Int)

    /// Sizes that fit the request, the best first.
    private func sizes(_ modes: [VideoMode]) -> [(VideoMode, Size)] {
        let isSized = asked.width > 0 && asked.height > 0
        let fitting = modes.compactMap { mode -> (VideoMode, Size)? in
            (isSized ? mode.size(exactly: asked.width, asked.height) : mode.size(within: Self.most)).map { (mode, $0) }
        }
        return fitting.sorted { isBetter($0.1, than: $1.1) }
    }

    private func isBetter(_ offer: Offer, than other: Offer) -> Bool {
        guard offer.rate == other.rate else { return offer.rate > other.rate }
        return isBetter((offer.width, offer.height), than: (other.width, other.height))
    }

    /// The largest size that is used by default comes before sizes that must be requested, of which the smallest is the best.
    private func isBetter(_ size: Size, than other: Size) -> Bool {
        // A driver may claim sides whose product no Int holds.
        let areas = [size, other].map { size in
            let area = Double(size.width) * Double(size.height)
            return size.width > Self.most.width || size.height > Self.most.height ? -area : area
        }
        return areas[0] > areas[1]
    }

    /// Largest frame that is used by default.
    private static let most: Size = (width: 1920, height: 1080)

    /// 0 for formats that are recorded unchanged, 1 for images that the camera has compressed, 2 for formats that need a
    /// conversion; `nil` for unsupported frames.
    private static func kind(_ code: UInt32) -> Int? {
        let format = PixelFormat(rawValue: code)
        if [.yuyv, .uyvy, .nv12, .yuv420].contains(format) { return 0 }
        if format.isJPEG { return 1 }
        return [.grey, .rgb24, .bgr24].contains(format) || ConvertibleLayout.known[format] != nil ? 2 : nil
    }
}

/// Modes that were listed all at once.
private struct ListedModes: CameraModes {
    let modes: [VideoMode]

    func codes() -> [UInt32] {
        modes.map(\.pixelFormat.rawValue).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    func sizes(_ code: UInt32) -> [VideoMode] { modes.filter { $0.pixelFormat.rawValue == code } }

    func rate(of mode: VideoMode, width: Int, height: Int, enough: Double) -> Double {
        mode.frameRates.first?.framesPerSecond ?? .infinity
    }
}

/// Size that a mode has.
private struct NearestSize {
    let width: Int
    let height: Int

    func distance(to wish: CameraSettings) -> Int {
        wish.width > 0 && wish.height > 0 ? abs(width - wish.width) + abs(height - wish.height) : 0
    }
}

extension FrameRate {
    fileprivate func distance(to rate: Double) -> Double { abs(framesPerSecond - rate) }
}

extension VideoMode {
    /// Size of this mode that is nearest to a wish.
    fileprivate func nearest(to wish: CameraSettings) -> NearestSize {
        guard let smaller, wish.width > 0, wish.height > 0 else { return NearestSize(width: width, height: height) }
        func side(_ wanted: Int, _ least: Int, _ most: Int, _ step: Int) -> Int {
            least + (min(max(wanted, least), max(least, most)) - least) / max(step, 1) * max(step, 1)
        }
        return NearestSize(
            width: side(wish.width, smaller.width, width, smaller.widthStep),
            height: side(wish.height, smaller.height, height, smaller.heightStep))
    }

    /// True if the mode has a rate, in frames a second.
    fileprivate func has(_ rate: Double) -> Bool {
        guard let fastest = frameRates.first, let slowest = frameRates.last else { return true }
        if takesRatesBetween, (slowest.framesPerSecond...fastest.framesPerSecond).contains(rate) { return true }
        return frameRates.contains { $0.distance(to: rate) < 0.001 }
    }

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

    /// Largest size with at most this number of pixels in each direction; the smallest one of a mode that has no such size.
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
