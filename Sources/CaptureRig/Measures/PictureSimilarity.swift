/// Similarity of two images of one size.
///
/// *thread-safe*
package struct PictureSimilarity: Hashable, Sendable {
    /// Structural similarity, −1...1; 1 for equal images.
    package let ssim: Double
    /// Peak signal-to-noise ratio in dB; ``equal`` for equal images.
    package let psnr: Double

    /// Value for the infinite ratio of equal images, so that a limit can be passed: two images of 2³¹ pixels that differ by one
    /// step in one pixel have 141 dB.
    package static let equal = 150.0

    /// - Returns: `nil` for images of different sizes, or below 8 × 8 pixels.
    package init?(_ one: LumaImage, _ other: LumaImage) {
        guard let ssim = Self.ssim(one, other), let psnr = Self.psnr(one, other) else { return nil }
        self.ssim = ssim
        self.psnr = psnr
    }

    /// Similarity of an image to itself, which needs no computation.
    ///
    /// - Returns: `nil` below 8 × 8 pixels.
    package static func toItself(_ picture: LumaImage) -> PictureSimilarity? {
        picture.width >= 8 && picture.height >= 8 ? PictureSimilarity(ssim: 1, psnr: equal) : nil
    }

    private init(ssim: Double, psnr: Double) { (self.ssim, self.psnr) = (ssim, psnr) }

    /// Measures `ssim` (a ratio) and `psnr` (dB), without limits and without values if there is no similarity.
    package static func measures(of similarity: PictureSimilarity?) -> [Measure] {
        [Measure("ssim", similarity?.ssim, "", .higher), Measure("psnr", similarity?.psnr, "dB", .higher)]
    }

    /// Ratio of the largest square of a brightness to the mean square of the differences.
    ///
    /// - Returns: dB; `nil` for images of different sizes.
    package static func psnr(_ one: LumaImage, _ other: LumaImage) -> Double? {
        guard one.width == other.width, one.height == other.height else { return nil }
        var squares = 0
        one.bytes.withUnsafeBufferPointer { bytes in
            other.bytes.withUnsafeBufferPointer { others in
                // The sum of this number of squares fits into a word of 32 bits, of which a vector contains twice as many.
                for start in stride(from: 0, to: bytes.count, by: 1 << 15) {
                    var sum: UInt32 = 0
                    for index in start..<min(start + 1 << 15, bytes.count) {
                        let difference = Int32(bytes[index]) &- Int32(others[index])
                        sum &+= UInt32(bitPattern: difference &* difference)
                    }
                    squares += Int(sum)
                }
            }
        }
        guard squares > 0 else { return equal }
        return Decibel.power(255 * 255 * Double(one.bytes.count) / Double(squares))
    }

    /// Mean structural similarity as of Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment: from error visibility
    /// to structural similarity" (IEEE Transactions on Image Processing 13(4), 2004), with K₁ = 0.01 and K₂ = 0.03.
    ///
    /// The windows are of 8 × 8 equal weights and four pixels apart, so that each pixel is added up once; the authors' own windows
    /// are Gaussian, and their figures differ in the third digit. Up to three pixels at the right and at the bottom may lie in no
    /// window.
    ///
    /// - Returns: −1...1; `nil` for images of different sizes, or below 8 × 8 pixels.
    package static func ssim(_ one: LumaImage, _ other: LumaImage) -> Double? {
        guard one.width == other.width, one.height == other.height, one.width >= 8, one.height >= 8 else { return nil }
        let (columns, rows) = (one.width / 4, one.height / 4)
        var scratch = [UInt32](repeating: 0, count: 4 * columns)
        var (sum, above) = (0.0, blocks(one, other, row: 0, columns, &scratch))
        for row in 1..<rows {
            let below = blocks(one, other, row: row, columns, &scratch)
            for column in 1..<columns {
                sum += (above[column - 1] + above[column] + below[column - 1] + below[column]).similarity
            }
            above = below
        }
        return sum / Double((rows - 1) * (columns - 1))
    }

    /// A row of blocks of 4 × 4 pixels; four neighbours make a window.
    ///
    /// - Parameter scratch: a word for each of their columns.
    private static func blocks(
        _ one: LumaImage, _ other: LumaImage, row: Int, _ columns: Int, _ scratch: inout [UInt32]
    ) -> [BlockSums] {
        var blocks = [BlockSums](repeating: BlockSums(), count: columns)
        let (width, start) = (one.width, 4 * row * one.width)
        one.bytes.withUnsafeBufferPointer { bytes in
            other.bytes.withUnsafeBufferPointer { others in
                scratch.withUnsafeMutableBufferPointer { sums in
                    // A pass for each sum: compilers make vectors of loops as plain as these.
                    add(from: start, width, into: sums) { UInt32(bytes[$0]) }
                    for column in 0..<columns { blocks[column].first = total(sums, column) }
                    add(from: start, width, into: sums) { UInt32(others[$0]) }
                    for column in 0..<columns { blocks[column].second = total(sums, column) }
                    add(from: start, width, into: sums) {
                        UInt32(bytes[$0]) &* UInt32(bytes[$0]) &+ UInt32(others[$0]) &* UInt32(others[$0])
                    }
                    for column in 0..<columns { blocks[column].squares = total(sums, column) }
                    add(from: start, width, into: sums) { UInt32(bytes[$0]) &* UInt32(others[$0]) }
                    for column in 0..<columns { blocks[column].products = total(sums, column) }
                }
            }
        }
        return blocks
    }

    /// Adds up a number of each pixel of four rows, column by column.
    ///
    /// - Parameters:
    ///   - start: index of the first row's first pixel.
    ///   - width: pixels a row.
    ///   - sums: one for each column.
    ///   - number: of the pixel at an index.
    @inline(__always)
    private static func add(
        from start: Int, _ width: Int, into sums: UnsafeMutableBufferPointer<UInt32>, _ number: (Int) -> UInt32
    ) {
        for column in 0..<sums.count {
            let (first, third) = (start &+ column, start &+ column &+ 2 &* width)
            sums[column] = number(first) &+ number(first &+ width) &+ number(third) &+ number(third &+ width)
        }
    }

    /// Sum over the four columns of a block.
    @inline(__always)
    private static func total(_ sums: UnsafeMutableBufferPointer<UInt32>, _ column: Int) -> Int {
        let at = 4 &* column
        return Int(sums[at] &+ sums[at &+ 1] &+ sums[at &+ 2] &+ sums[at &+ 3])
    }
}

/// Sums over pixels of two images: whole numbers, so that equal images have a similarity of exactly 1.
private struct BlockSums {
    private static let pixels = 64
    var first = 0
    var second = 0
    var squares = 0
    var products = 0

    static func + (one: BlockSums, other: BlockSums) -> BlockSums {
        var sums = one
        sums.first += other.first
        sums.second += other.second
        sums.squares += other.squares
        sums.products += other.products
        return sums
    }

    /// Similarity of a window of 64 pixels. Both fractions are multiplied by what the means and the unbiased variances are
    /// divided by: 64² and 64 · 63.
    var similarity: Double {
        let (count, pairs) = (Double(Self.pixels), Double(Self.pixels * (Self.pixels - 1)))
        let (steady, contrast) = (0.01 * 255 * 0.01 * 255 * count * count, 0.03 * 255 * 0.03 * 255 * pairs)
        let means = 2 * first * second
        let meanSquares = first * first + second * second
        let covariance = 2 * Self.pixels * products - means
        let variances = Self.pixels * squares - meanSquares
        return (Double(means) + steady) * (Double(covariance) + contrast)
            / ((Double(meanSquares) + steady) * (Double(variances) + contrast))
    }
}
