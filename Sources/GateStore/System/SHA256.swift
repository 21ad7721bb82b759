import CSystem
import Gate

/// SHA-256 by libnettle: of executables, and of the lines of the audit log.
///
/// Standard: FIPS 180-4 (2015). *thread-safe*
package enum SHA256 {
    /// The digest of some bytes, 64 lower-case hexadecimal digits.
    ///
    /// - Throws: `.inputOutput` if no memory is left.
    package static func hex(of bytes: some Sequence<UInt8>) throws(CaptureError) -> String {
        let digest = try Digest()
        digest.add(Array(bytes).span.bytes)
        return digest.end()
    }

    /// The digest of a whole file, read from its start in pieces of 128 KiB; the file's offset stays where it is.
    ///
    /// - Parameter descriptor: open for reading, of a regular file.
    /// - Throws: `.inputOutput` if the file can't be read; try again, or check the disk.
    package static func hex(ofDescriptor descriptor: Int32) throws(CaptureError) -> String {
        let digest = try Digest()
        var piece = [UInt8](repeating: 0, count: 128 * 1024)
        var offset: Int64 = 0
        while true {
            let count = cs_pread(descriptor, &piece, piece.count, offset)
            guard count >= 0 else { throw unreadable(count) }
            guard count > 0 else { return digest.end() }
            digest.add(piece.span.bytes.extracting(0..<Int(count)))
            offset += count
        }
    }

    private static func unreadable(_ result: Int64) -> CaptureError {
        let failure = SystemFailure(result: result)
        return CaptureError(
            .inputOutput, "A file can't be read to its end for its SHA-256: \(failure.text).", errno: failure.errno,
            remedies: [Remedy("Check the disk and try again.")])
    }
}

/// One digest in the making.
private struct Digest: ~Copyable {
    private let context: UnsafeMutableRawPointer

    init() throws(CaptureError) {
        var made: UnsafeMutableRawPointer?
        let result = cs_sha256_begin(&made)
        guard result >= 0, let made else { throw Digest.failure(result) }
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

    private static func failure(_ result: Int32) -> CaptureError {
        CaptureError(
            .inputOutput, "There is no memory for a SHA-256: \(systemText(result)).", errno: -result,
            remedies: [Remedy("Free some memory and try again.")])
    }
}
