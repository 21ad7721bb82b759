import CaptureBase

/// A service that whoever is authorized shares, such as a microphone that stays open.
///
/// Its initializer takes the permit, so that nobody else can build one.
///
/// *thread-safe*
public protocol AuthorizedService: AnyObject, Sendable {
    associatedtype Capable: DeviceCapability

    /// What must be allowed.
    static var capability: Capable { get }

    /// Opens its devices; the permit is worth nothing after the return.
    init(opening permit: consuming Permit) async throws(CaptureError)
}
