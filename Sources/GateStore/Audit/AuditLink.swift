import CSystem
import Gate

/// One line's place in the chain: its number and the hash that covers it and all before it.
struct AuditLink: Hashable, Sendable {
    let number: Int64
    /// 64 lower-case hexadecimal digits.
    let hash: String

    /// Where every chain begins: before line 1.
    static let origin = AuditLink(number: 0, hash: String(repeating: "0", count: 64))

    /// What a line may be numbered, 0 for none: a thousand lines a second come to the end of it in 146 million years. What
    /// a flipped bit puts beyond is no number, and so no sum of two is too large.
    static let numbers: ClosedRange<Int64> = 0...(1 << 62)

    /// - Throws: `.store` at the end of all numbers.
    func nextNumber() throws(CaptureError) -> Int64 {
        guard number < AuditLink.numbers.upperBound else {
            throw StoreFailure.error(
                "The audit log has come to its last line, \(number).", errno: EOVERFLOW,
                "Move the store away to begin with an empty one.")
        }
        return number + 1
    }
}
