import CSystem

/// An error number of the kernel, as listed in errno(3).
///
/// The shims of CSystem return `-errno`, so that Swift never reads the variable, which another call on the same thread may have
/// changed in between.
///
/// *thread-safe*
package struct Errno: Error, Hashable, Sendable {
    /// The number itself, positive.
    package let number: Int32

    /// - Parameter number: positive, as in errno.h.
    package init(_ number: Int32) {
        self.number = number
    }

    /// - Parameter result: negative result of a shim.
    package init(result: some BinaryInteger) {
        number = Int32(truncatingIfNeeded: result.magnitude)
    }

    /// The meaning in English, such as "Permission denied".
    ///
    /// The corresponding C function is `strerror_r`.
    package var text: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            guard let start = text.baseAddress, cs_error_text(number, start, text.count) >= 0 else {
                return "error \(number)"
            }
            return String(cString: start)
        }
    }
}

/// The result of a shim, if it is not an error.
///
/// - Parameter result: 0 or more, or `-errno`.
/// - Throws: the error of a negative result.
@discardableResult
func checked<Result: BinaryInteger>(_ result: Result) throws(Errno) -> Result {
    guard result < 0 else { return result }
    throw Errno(result: result)
}

// Named as in swift-system, if it has the number; the C name is beside each.
extension Errno {
    /// EPERM.
    package static let notPermitted = Errno(EPERM)
    /// ENOENT.
    package static let noSuchFileOrDirectory = Errno(ENOENT)
    /// ESRCH.
    package static let noSuchProcess = Errno(ESRCH)
    /// EIO.
    package static let ioError = Errno(EIO)
    /// ENXIO.
    package static let noSuchAddressOrDevice = Errno(ENXIO)
    /// EBADF.
    package static let badFileDescriptor = Errno(EBADF)
    /// EAGAIN, which on Linux is EWOULDBLOCK too.
    package static let wouldBlock = Errno(EAGAIN)
    /// EFAULT.
    package static let badAddress = Errno(EFAULT)
    /// ENOTSOCK.
    package static let notSocket = Errno(ENOTSOCK)
    /// ENOPROTOOPT.
    package static let noProtocolOption = Errno(ENOPROTOOPT)
    /// EAFNOSUPPORT.
    package static let addressFamilyNotSupported = Errno(EAFNOSUPPORT)
    /// ECONNREFUSED.
    package static let connectionRefused = Errno(ECONNREFUSED)
    /// ENOMEM.
    package static let noMemory = Errno(ENOMEM)
    /// EACCES.
    package static let permissionDenied = Errno(EACCES)
    /// EBUSY.
    package static let resourceBusy = Errno(EBUSY)
    /// EEXIST.
    package static let fileExists = Errno(EEXIST)
    /// ENODEV.
    package static let noSuchDevice = Errno(ENODEV)
    /// ENOTDIR.
    package static let notDirectory = Errno(ENOTDIR)
    /// EISDIR.
    package static let isDirectory = Errno(EISDIR)
    /// EINVAL.
    package static let invalidArgument = Errno(EINVAL)
    /// ENFILE: of the whole system.
    package static let tooManyOpenFilesInSystem = Errno(ENFILE)
    /// EMFILE: of this process.
    package static let tooManyOpenFiles = Errno(EMFILE)
    /// ENOTTY.
    package static let inappropriateControl = Errno(ENOTTY)
    /// EFBIG.
    package static let fileTooLarge = Errno(EFBIG)
    /// ENOSPC.
    package static let noSpace = Errno(ENOSPC)
    /// EROFS.
    package static let readOnlyFileSystem = Errno(EROFS)
    /// EMLINK.
    package static let tooManyLinks = Errno(EMLINK)
    /// EPIPE.
    package static let brokenPipe = Errno(EPIPE)
    /// ERANGE.
    package static let outOfRange = Errno(ERANGE)
    /// ENAMETOOLONG.
    package static let fileNameTooLong = Errno(ENAMETOOLONG)
    /// ENOLCK.
    package static let noLocks = Errno(ENOLCK)
    /// ENOSYS.
    package static let noFunction = Errno(ENOSYS)
    /// ELOOP.
    package static let tooManySymbolicLinkLevels = Errno(ELOOP)
    /// ENODATA.
    package static let noData = Errno(ENODATA)
    /// ENOLINK.
    package static let linkSevered = Errno(ENOLINK)
    /// EOVERFLOW.
    package static let overflow = Errno(EOVERFLOW)
    /// EILSEQ.
    package static let illegalByteSequence = Errno(EILSEQ)
    /// ENOTSUP, which on Linux is EOPNOTSUPP too.
    package static let notSupported = Errno(ENOTSUP)
    /// ENETUNREACH.
    package static let networkUnreachable = Errno(ENETUNREACH)
    /// ETIMEDOUT.
    package static let timedOut = Errno(ETIMEDOUT)
    /// EHOSTUNREACH.
    package static let noRouteToHost = Errno(EHOSTUNREACH)
    /// EDQUOT.
    package static let diskQuotaExceeded = Errno(EDQUOT)
}
