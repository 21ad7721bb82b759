/// Text in an array of fixed size, as C structures have it.
enum FixedText {
    /// - Parameter array: up to its first zero; what is no UTF-8 is replaced.
    static func of<Array>(_ array: Array) -> String {
        withUnsafeBytes(of: array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    static func of(_ array: [CChar]) -> String {
        array.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
