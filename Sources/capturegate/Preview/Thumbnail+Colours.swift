import CaptureEncoding

extension Thumbnail {
    typealias Colour = (red: UInt8, green: UInt8, blue: UInt8)

    func colour(_ column: Int, _ row: Int) -> Colour {
        let offset = 3 * (row * width + column)
        return (pixels[offset], pixels[offset + 1], pixels[offset + 2])
    }

    /// The nearest of 6 x 6 x 6 colours, 0…215.
    func cubeIndex(_ column: Int, _ row: Int) -> Int {
        func sixth(_ value: UInt8) -> Int { (Int(value) * 5 + 127) / 255 }
        let colour = colour(column, row)
        return 36 * sixth(colour.red) + 6 * sixth(colour.green) + sixth(colour.blue)
    }
}
