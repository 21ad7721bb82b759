/// Division of JPEG images into restart intervals (ITU-T T.81, B.2.4.4), which are coded independently of one another, so that
/// several threads can work on one image.
///
/// It depends only on the images' size, so that a stream has the same bytes with any number of processors. The result is the same
/// as that of libjpeg with `restart_in_rows`. An image in one interval has no restart markers.
struct RestartIntervals: Hashable {
    /// Number of intervals, 1 or more.
    let count: Int
    /// Rows of samples in each; the last may have fewer.
    let height: Int
    /// Rows of MCUs in each, or 0 for an image in one interval.
    let rowsOfUnits: Int
    /// Rows of samples of the image.
    private let imageHeight: Int
    /// Rows of samples in one row of MCUs.
    private let unitHeight: Int

    /// Enough to keep eight processors busy to the end, each with work for much longer than the microseconds of a hand-over.
    private static let most = 16
    private static let leastPixels = 48 << 10

    /// - Parameters:
    ///   - width: of the images in pixels.
    ///   - height: of the images in pixels.
    ///   - sampling: chroma of the images.
    ///   - isWhole: leaves each image in one interval.
    init(width: Int, height: Int, sampling: ChromaSampling, isWhole: Bool = false) {
        imageHeight = height
        unitHeight = sampling == .yuv420 ? 16 : 8
        let unitWidth = sampling == .yuv422 || sampling == .yuv420 ? 16 : 8
        let (across, down) = ((width + unitWidth - 1) / unitWidth, (height + unitHeight - 1) / unitHeight)
        let wanted = isWhole ? 1 : min(max(width * height / Self.leastPixels, 1), Self.most)
        // An interval has at most 65535 MCUs (T.81, B.2.4.4).
        let rows = max(min((down + wanted - 1) / wanted, 65_535 / across), 1)
        let isDivided = wanted > 1 && rows < down
        count = isDivided ? (down + rows - 1) / rows : 1
        self.height = isDivided ? rows * unitHeight : height
        rowsOfUnits = isDivided ? rows : 0
    }

    /// Rows of samples of an interval.
    func rows(of interval: Int) -> Range<Int> { interval * height..<min((interval + 1) * height, imageHeight) }

    /// Row of MCUs with which an interval begins.
    func firstUnit(of interval: Int) -> Int { interval * rowsOfUnits }
}

extension RestartIntervals {
    /// Joins images of the intervals to one: the header of the first with the height of all, then the coded data of each,
    /// with a restart marker between two.
    /// - Parameters:
    ///   - bytes: the images, whole ones from SOI to EOI, `stride` bytes from one start to the next.
    ///   - stride: at least the size of each image.
    ///   - sizes: of the images, in bytes.
    /// - Returns: size of the joined image, which lies where the first one did.
    func join(_ bytes: UnsafeMutablePointer<UInt8>, stride: Int, sizes: UnsafePointer<Int64>) -> Int {
        guard count > 1 else { return Int(sizes[0]) }
        let header = Self.header(of: bytes)
        bytes[header.height] = UInt8(truncatingIfNeeded: imageHeight >> 8)
        bytes[header.height + 1] = UInt8(truncatingIfNeeded: imageHeight)
        var end = Int(sizes[0]) - 2
        for interval in 1..<count {
            let image = bytes + interval * stride
            // RST0 to RST7 in turn, in place of EOI.
            (bytes[end], bytes[end + 1]) = (0xFF, 0xD0 + UInt8((interval - 1) % 8))
            let start = Self.header(of: image).byteCount
            let coded = Int(sizes[interval]) - 2 - start
            // It moves to the front, over the room that the one before did not need.
            UnsafeMutableRawPointer(bytes + end + 2).copyMemory(from: image + start, byteCount: coded)
            end += 2 + coded
        }
        (bytes[end], bytes[end + 1]) = (0xFF, 0xD9)
        return end + 2
    }

    /// Header of an image as libjpeg writes it: segments up to the coded data, without any fill bytes.
    /// - Parameter image: from SOI on.
    /// - Returns: its size, and the offset of the number of lines in SOF0 (T.81, B.2.2).
    private static func header(of image: UnsafePointer<UInt8>) -> (byteCount: Int, height: Int) {
        var (at, height) = (2, 0)
        while true {
            let marker = image[at + 1]
            // Marker, length, precision, then the number of lines.
            if marker == 0xC0 { height = at + 5 }
            at += 2 + Int(image[at + 2]) << 8 + Int(image[at + 3])
            // SOS ends it.
            if marker == 0xDA { return (at, height) }
        }
    }
}
