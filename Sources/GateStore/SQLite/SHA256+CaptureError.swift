import Gate
import LinuxSystem

extension SHA256 {
    /// The digest of some bytes, 64 lower-case hexadecimal digits.
    ///
    /// - Throws: `.inputOutput` if no memory is left.
    package static func digest(of bytes: some Sequence<UInt8>) throws(CaptureError) -> String {
        do throws(Errno) {
            return try hex(of: bytes)
        } catch {
            throw CaptureError(
                .inputOutput, "There is not enough memory to compute a SHA-256: \(error.text).", errno: error.number,
                remedies: [Remedy("Free some memory and try again.")])
        }
    }

    /// The digest of a whole file.
    ///
    /// - Parameter file: a regular file, open for reading; its offset is not moved.
    /// - Throws: `.inputOutput` if the file can't be read; try again, or check the disk.
    package static func digest(ofFile file: borrowing FileDescriptor) throws(CaptureError) -> String {
        do throws(Errno) {
            return try hex(of: file)
        } catch {
            throw CaptureError(
                .inputOutput, "A file could not be read completely to compute its SHA-256: \(error.text).",
                errno: error.number,
                remedies: [Remedy("Check the disk and try again.")])
        }
    }
}
