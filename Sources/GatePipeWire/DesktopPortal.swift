import CaptureGate
import LinuxSystem

/// The desktop's portal, through which a program in a sandbox gets a camera from PipeWire.
///
/// Standard: org.freedesktop.portal.Camera, version 1. The portal asks the person itself, the first time, and after this program's
/// own gate has asked. Listing devices asks nobody.
enum DesktopPortal {
    /// Time for the person's answer, and for the portal: opening a device has no more.
    private static let patience = Duration.seconds(9)

    /// True in a sandbox, whose programs do not see PipeWire's socket.
    static func isNeeded(in environment: [String: String]) -> Bool { Sandbox.isHere(in: environment) }

    /// Opens the camera that the portal offers: the session manager's choice, otherwise the first. Blocks.
    ///
    /// - Throws: `.notAuthorized` if the person denies it, `.noDevice` if none exists, `.unavailable` without a portal.
    static func open(_ device: Device, _ wish: StreamWish) throws(CaptureError) -> ProvidedStream {
        let end = Deadline(after: patience)
        let bus = try bus()
        try access(bus, until: end)
        // A connection can't be shared: one to search, one to capture.
        guard let first = bus.cameraRemote(until: end), let second = bus.cameraRemote(until: end) else {
            throw silent("it opened no connection to PipeWire")
        }
        let cameras = GraphListing.sources(by: first.number).flatMap { FoundNode.all(of: $0) }
            .filter { $0.capability == .camera }
        guard let node = cameras.first(where: \.isDefault) ?? cameras.first else {
            throw CaptureError(
                .noDevice, "The desktop's portal offers no camera.",
                remedies: [Remedy("Plug one in, then try again.", .listDevices)])
        }
        return try NodeStream.open(node, device, wish, by: second.number)
    }

    private static func bus() throws(CaptureError) -> BusConnection {
        guard let address = BusAddress.session(in: ProcessEnvironment.current) else {
            throw silent("there is no session bus")
        }
        do throws(Errno) { return try BusConnection(to: address) } catch { throw noBus(error) }
    }

    /// Asks the portal, and so the person where the portal does not know the answer.
    private static func access(_ bus: borrowing BusConnection, until end: Deadline) throws(CaptureError) {
        switch bus.accessCamera(until: end, cancel: -1) {
        case (.answered, true): return
        case (.answered, false):
            throw CaptureError(
                .notAuthorized, "The desktop's portal does not let this program use the camera.",
                remedies: [Remedy("Allow it in the desktop's settings, then try again.")])
        case (.refused(let name, _), _): throw silent("it answered with the error \(name.visible)")
        case (.timedOut, _):
            throw silent("its question was not answered in time", "Answer the desktop's question, then try again.")
        case (.broken(let errno), _): throw noBus(errno)
        case (.cancelled, _): throw silent("it was cancelled")
        }
    }

    private static func noBus(_ errno: Errno) -> CaptureError {
        silent("the session bus does not answer (\(errno.text))")
    }

    private static func silent(
        _ why: String, _ remedy: String = "Start xdg-desktop-portal, or run this outside the sandbox."
    ) -> CaptureError {
        CaptureError(
            .unavailable, "The desktop's portal gives no access to a camera: \(why).", remedies: [Remedy(remedy)])
    }
}
