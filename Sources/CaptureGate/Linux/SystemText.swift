import CSystem

/// The system's words for numbers.
enum SystemText {
    /// What `strerror` says of a positive errno.
    static func error(_ errno: Int32) -> String {
        var text = [CChar](repeating: 0, count: 256)
        guard cs_error_text(errno, &text, text.count) >= 0 else { return "error \(errno)" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The name of a user, or its number.
    static func user(_ id: UInt32) -> String {
        var user = cs_user()
        guard cs_user_by_id(id, &user) == 1 else { return String(id) }
        return withUnsafeBytes(of: user.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The name of a group, or its number.
    static func group(_ id: UInt32) -> String {
        var group = cs_group()
        guard cs_group_by_id(id, &group) == 1 else { return String(id) }
        return withUnsafeBytes(of: group.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
