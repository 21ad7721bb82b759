import CSystem
import Glibc

// Functions of the C library that the standard library has no name for, so that a codec needs no more of C than these.

/// Sine. The corresponding C function is `sin`.
///
/// - Parameter angle: radians.
package func sine(_ angle: Double) -> Double { sin(angle) }

/// Decimal logarithm. The corresponding C function is `log10`.
package func decimalLogarithm(_ value: Double) -> Double { log10(value) }

/// A power. The corresponding C function is `powf`.
package func power(_ base: Float, _ exponent: Float) -> Float { powf(base, exponent) }

/// The first byte of a value in memory; looks at many bytes at once. The corresponding C function is `memchr`.
///
/// - Parameters:
///   - value: the byte.
///   - start: where the search begins.
///   - count: bytes to search.
/// - Returns: where it is; `nil` where it is not.
package func firstByte(_ value: UInt8, from start: UnsafeRawPointer, count: Int) -> UnsafeRawPointer? {
    UnsafeRawPointer(memchr(start, Int32(value), count))
}

/// A counter of what threads allocate, the libraries they call included: made for a measurement, not for good.
///
/// The loaded objects' calls of `malloc` and its kin are led through a counter.
package enum AllocationCounter {
    /// Begins to count.
    ///
    /// - Throws: EBUSY where it counts already, ENOSPC or ENOSYS where the objects are linked otherwise, as under a
    ///   sanitizer.
    package static func begin() throws(Errno) { try checked(cs_allocations_begin()) }

    /// Puts the objects back as they were.
    package static func end() { cs_allocations_end() }

    /// Allocations of the calling thread while counting was on.
    package static var count: Int64 { cs_allocations_count() }
}
