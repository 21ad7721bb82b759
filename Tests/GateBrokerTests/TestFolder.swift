import Glibc

/// Directories that tests may fill; the system's own cleaning removes them.
enum TestFolder {
    struct Failure: Error {}

    static func make() throws -> String {
        var template = Array("/tmp/capturegate-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
