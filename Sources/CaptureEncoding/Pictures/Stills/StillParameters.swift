/// How a single picture is encoded.
///
/// *thread-safe*
public struct StillParameters: Hashable, Sendable {
    /// For JPEG of raw pictures; a camera's own JPEG stays as it is. Its range holds for PNG and QOI too.
    public var jpeg = MJPEGParameters()
    /// 0 (not compressed) to 9 (small).
    public var pngLevel = 6

    /// - Parameters:
    ///   - jpeg: for JPEG of raw pictures.
    ///   - pngLevel: 0 (not compressed) to 9 (small).
    public init(jpeg: MJPEGParameters = MJPEGParameters(), pngLevel: Int = 6) {
        self.jpeg = jpeg
        self.pngLevel = pngLevel
    }
}
