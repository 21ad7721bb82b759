/// Contact sheets of a report's images, which become part of the page, so that it needs no other file.
///
/// *session-bound*
struct EvidenceSheet {
    /// Bytes of images that the page can still take.
    private var left: Int

    /// - Parameter limit: maximum bytes of embedded image files; in the page they are a third larger.
    init(limit: Int) { left = limit }

    /// List of images with their captions, and of other files as links; empty if a check left none.
    ///
    /// - Parameters:
    ///   - results: repeats of one check.
    ///   - load: the bytes of a file beside the report; it is only called for paths that stay below the report's directory.
    mutating func markup(of results: [CheckResult], load: (String) -> [UInt8]?) -> Markup {
        let all = results.flatMap { result in result.evidence.map { (result.round, $0) } }
        guard !all.isEmpty else { return "" }
        let items = all.prefix(Self.mostFiles).map { item($0.1, repeat: results.count > 1 ? $0.0 : nil, load) }
        let rest = all.count - items.count
        let note: Markup = rest > 0 ? "<p class=\"soft\">And \(rest) more files next to the report.</p>" : ""
        return "<ul class=\"sheet\">\(Markup(items))</ul>\(note)\n"
    }

    /// Maximum number of files of one check on one sheet.
    private static let mostFiles = 48

    private mutating func item(_ evidence: Evidence, repeat number: Int?, _ load: (String) -> [UInt8]?) -> Markup {
        let caption: Markup = "\(number.map { "Repeat \($0): " } ?? "")\(evidence.caption)"
        guard let address = Self.address(of: evidence.file) else {
            return "<li><p class=\"none\">Not found next to the report: \(evidence.file)</p><p>\(caption)</p></li>"
        }
        let link: Markup = "<a href=\"\(address)\">\(evidence.file)</a>"
        guard let bytes = load(evidence.file) else {
            return "<li><p class=\"none\">\(link)</p><p>\(caption)</p></li>"
        }
        guard let type = Self.pictureType(bytes) else {
            return "<li><p class=\"none\">\(link)</p><p>\(caption)</p></li>"
        }
        guard bytes.count <= left else {
            return "<li><p class=\"none\">Not shown, to limit the size of the page: \(link)</p><p>\(caption)</p></li>"
        }
        left -= bytes.count
        let data = Markup(verbatim: "data:\(type);base64," + Self.base64(bytes))
        return "<li><img src=\"\(data)\" alt=\"\(caption)\"/><p>\(caption)</p></li>"
    }

    /// Type of a file by its first bytes, since a name can't be trusted. `nil` for all types except those that every browser draws
    /// without running anything in them.
    static func pictureType(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        return bytes.starts(with: [0xFF, 0xD8, 0xFF]) ? "image/jpeg" : nil
    }

    /// A relative link to a file; `nil` for one that is not below the report's directory.
    ///
    /// What has a meaning in an address is written as its bytes, and the leading dot keeps `javascript:` a file's name.
    static func address(of file: String) -> String? {
        guard Evidence.isInside(file) else { return nil }
        return file.utf8.reduce(into: "./") { address, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F:
                address.unicodeScalars.append(Unicode.Scalar(byte))
            default: address += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    /// Bytes as text. Standard: RFC 4648 (2006), section 4.
    static func base64(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text in
            var end = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let count = min(3, bytes.count - start)
                let second = count > 1 ? Int(bytes[start + 1]) : 0
                let group = Int(bytes[start]) << 16 | second << 8 | (count > 2 ? Int(bytes[start + 2]) : 0)
                for digit in 0..<4 {
                    text[end] = digit > count ? 0x3D : digits[group >> (18 - 6 * digit) & 63]
                    end += 1
                }
            }
            return end
        }
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
