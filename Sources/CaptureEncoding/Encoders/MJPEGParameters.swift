/// How raw pictures become JPEG.
///
/// *thread-safe*
public struct MJPEGParameters: Hashable, Sendable {
    public enum Chroma: String, Hashable, Sendable, CaseIterable {
        /// 4:2:2 from 4:2:2 and RGB, 4:2:0 from 4:2:0.
        case asSource = "source"
        case yuv422 = "422"
        case yuv420 = "420"
    }

    public enum Range: String, Hashable, Sendable, CaseIterable {
        /// Y of 16 to 235, V4L2's default for YUV; widened to JFIF's 0 to 255.
        case limited
        /// Y of 0 to 255.
        case full
    }

    /// 1 (small) to 100 (large); 90 looks like the source.
    public var quality = 90
    public var chroma = Chroma.asSource
    /// Which range the camera's YUV has; without a meaning for RGB and grey.
    public var range = Range.limited

    public init(quality: Int = 90, chroma: Chroma = .asSource, range: Range = .limited) {
        self.quality = quality
        self.chroma = chroma
        self.range = range
    }
}
