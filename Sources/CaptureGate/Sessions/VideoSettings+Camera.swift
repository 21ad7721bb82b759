import CaptureBase
import CaptureRealtime

extension VideoSettings {
    /// The same as the capture loop calls it; 0 is the device's choice. A camera keeps the rate its last user left, which
    /// may be 5 a second; so where no rate is said it is asked for 30, and what it makes of that is taken.
    var camera: CameraSettings {
        let rate = frameRate ?? .thirty
        var settings = CameraSettings(
            width: width ?? 0, height: height ?? 0, fourcc: pixelFormat?.rawValue ?? 0,
            fpsNumerator: rate.numerator, fpsDenominator: rate.denominator)
        settings.standard = standard?.rawValue ?? 0
        settings.detectsStandard = standard == .automatic
        settings.timings = timings?.shape
        return settings
    }

    /// Whether anything is said that capture cards alone have.
    var isOfCard: Bool { input != nil || standard != nil || timings != nil }
}

extension VideoFormat {
    /// Of whole pictures, also where the camera gives their fields one by one or one above the other.
    ///
    /// A driver that does not say how fast it is counts as 30 frames a second, the commonest.
    init(_ camera: CameraFormat) {
        let fields = FieldArrangement(camera)
        let rate = FrameRate(camera.fpsNumerator, camera.fpsDenominator) ?? .thirty
        self.init(
            width: camera.width, height: fields.isAlternating ? 2 * camera.height : camera.height,
            pixelFormat: PixelFormat(rawValue: camera.fourcc),
            // Images of single fields are not put together: there are twice as many.
            frameRate: camera.isAlternating && !fields.isAlternating ? rate.doubled : rate,
            bytesPerLine: camera.isCompressed ? 0 : camera.bytesPerLine(plane: 0),
            planeBytesPerLine: camera.isCompressed ? nil : camera.layouts.map(\.bytesPerLine),
            colorimetry: Colorimetry(camera))
        encoding = camera.ycbcrEncoding
        fieldOrder = FieldOrder(camera)
        pixelAspect = PixelAspect(camera.aspectWidth, camera.aspectHeight)
    }
}

extension FrameRate {
    static let thirty = FrameRate(unchecked: 30, 1)

    fileprivate var doubled: FrameRate {
        denominator.isMultiple(of: 2)
            ? FrameRate(unchecked: numerator, denominator / 2) : FrameRate(unchecked: 2 * numerator, denominator)
    }
}

extension TestBars {
    /// 640×480 at 30 frames a second in YUYV where nothing else is said.
    init(_ settings: VideoSettings) throws(RealtimeFault) {
        let rate = settings.frameRate ?? .thirty
        try self.init(
            width: settings.width ?? 640, height: settings.height ?? 480,
            fourcc: (settings.pixelFormat ?? .yuyv).rawValue, fpsNumerator: rate.numerator,
            fpsDenominator: rate.denominator, claps: settings.claps)
    }
}
