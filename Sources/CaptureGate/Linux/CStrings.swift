/// Arguments and environments as C takes them: pointers to strings, and `nil` at the end.
enum CStrings {
    /// - Parameter body: gets pointers that are valid until it returns. A string is cut at a NUL in it.
    static func with<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        var offsets: [Int] = []
        for string in strings {
            offsets.append(bytes.count)
            bytes += string.utf8.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
        }
        return bytes.withUnsafeMutableBufferPointer { buffer in
            let pointers = offsets.map { offset in buffer.baseAddress.map { $0 + offset } } + [nil]
            return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
        }
    }
}
