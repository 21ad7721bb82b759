/// One memory plane of a picture, bytes.
///
/// *thread-safe*
public struct PlaneLayout: BitwiseCopyable, Sendable, Hashable {
    /// From the start of one row to the next; 0 for compressed formats.
    public var bytesPerLine: Int
    /// What the driver keeps free for a picture.
    public var sizeImage: Int

    public init(bytesPerLine: Int, sizeImage: Int) {
        self.bytesPerLine = bytesPerLine
        self.sizeImage = sizeImage
    }
}
