import CaptureGate
import LinuxSystem

/// The socket that clients connect to: handed over by the service manager, or made here.
///
/// Standard: sd_listen_fds(3).
enum ActivatedSocket {
    /// The first descriptor that a service manager hands over.
    private static let first: Int32 = 3

    /// Takes the socket that systemd passed, or creates one at a path.
    ///
    /// - Parameters:
    ///   - path: path of the socket, used if none was passed.
    ///   - environment: variables of the process, which describe the passed sockets.
    /// - Throws: `.configuration` if something else was passed, `.unavailable` if none can be created.
    static func open(at path: String, environment: [String: String]) throws(CaptureError) -> ListeningSocket {
        if let count = handed(environment) {
            guard count == 1 else {
                throw CaptureError(
                    .configuration, "The service manager passed \(count) sockets, but one is expected.",
                    remedies: [
                        Remedy("Name one socket in the socket unit.", command: "systemctl cat capturegated.socket")
                    ])
            }
            return try taken(RawDescriptor(first))
        }
        return try made(at: path)
    }

    /// Number of descriptors that were handed over to this very process; `nil` for none.
    static func handed(_ environment: [String: String], process: Int32 = ProcessStart.processID) -> Int? {
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == process else { return nil }
        return environment["LISTEN_FDS"].flatMap { Int($0) }
    }

    private static func taken(_ raw: RawDescriptor) throws(CaptureError) -> ListeningSocket {
        do throws(Errno) {
            return try ListeningSocket(owning: raw)
        } catch {
            throw CaptureError(
                .configuration, "The service manager passed no listening SOCK_SEQPACKET socket.",
                errno: error.number,
                remedies: [
                    Remedy(
                        "Use ListenSequentialPacket in the socket unit.", command: "systemctl cat capturegated.socket")
                ])
        }
    }

    /// Anybody may connect to it. One that is there already was made by an earlier broker.
    private static func made(at path: String) throws(CaptureError) -> ListeningSocket {
        do throws(Errno) {
            if case .success(let status) = FileStatus.ofLink(path), status.kind == .socket {
                try FileSystem.remove(path)
            }
            return try ListeningSocket(at: path, mode: 0o666)
        } catch {
            throw CaptureError(
                .unavailable, "The socket \(path) can't be created: \(error.text).", errno: error.number,
                remedies: [Remedy("Create its directory, writable only for this user.")])
        }
    }
}
