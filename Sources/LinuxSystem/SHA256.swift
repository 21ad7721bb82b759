import CSystem

/// SHA-256 by libnettle, which uses the processor's own instructions if there are any.
///
/// Standard: FIPS 180-4 (2015). *thread-safe*
package enum SHA256 {
    /// The digest of some bytes, 64 lower-case hexadecimal digits.
    ///
    /// - Throws: ENOMEM.
    package static func hex(of bytes: some Sequence<UInt8>) throws(Errno) -> String {
        let digest = try Digest()
        digest.add(Array(bytes).span.bytes)
        return digest.end()
    }

    /// The digest of a whole file, read from its start in pieces of 128 KiB; the file's offset is not moved.
    ///
    /// - Parameter file: a regular file, open for reading.
    /// - Throws: ENOMEM, or the error of reading the file.
    package static func hex(of file: borrowing some OpenFile & ~Copyable) throws(Errno) -> String {
        let digest = try Digest()
        var piece = [UInt8](repeating: 0, count: 128 * 1024)
        var offset: Int64 = 0
        while true {
            let count = try file.read(into: &piece, at: offset)
            guard count > 0 else { return digest.end() }
            digest.add(piece.span.bytes.extracting(0..<count))
            offset += Int64(count)
        }
    }
}

/// A digest being computed.
private struct Digest: ~Copyable {
    private let context: UnsafeMutableRawPointer

    init() throws(Errno) {
        var made: UnsafeMutableRawPointer?
        try checked(cs_sha256_begin(&made))
        // The shim sets it unless it returns an error.
        guard let made else { throw .noMemory }
        context = made
    }

    deinit { cs_sha256_drop(context) }

    func add(_ bytes: RawSpan) { bytes.withUnsafeBytes { cs_sha256_add(context, $0.baseAddress, $0.count) } }

    func end() -> String {
        var bytes = [UInt8](repeating: 0, count: CS_SHA256_BYTES)
        cs_sha256_end(context, &bytes)
        return bytes.reduce(into: "") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}
