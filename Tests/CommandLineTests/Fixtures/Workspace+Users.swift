import FoundationEssentials
import Glibc

/// Programs that root's rights do not help: the tests run as root in some places, and root may do anything.
extension Workspace {
    static var isRoot: Bool { geteuid() == 0 }

    /// Words that run a command as an ordinary user: this one, or nobody if this one is root.
    private static let asOrdinaryUser =
        isRoot ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []

    /// Runs capturegate as an ordinary user, who owns everything in the workspace from then on.
    ///
    /// From a copy of the program in the workspace, since the directory it was built in may be closed to others.
    func ordinary(_ arguments: String...) async throws -> Ending {
        try await ordinary(arguments)
    }

    func ordinary(_ arguments: [String]) async throws -> Ending {
        if !names.contains("capturegate") {
            _ = try await run(["cp", "--reflink=auto", Executable.capturegate, file("capturegate")])
            if Self.isRoot { _ = try await run(["chown", "-R", "65534:65534", path]) }
        }
        return try await run(Self.asOrdinaryUser + [file("capturegate")] + arguments)
    }

    /// Runs a shell script in a separate mount namespace, as root there. `$capturegate` is the program.
    ///
    /// If this user is not root, also in a separate user namespace: root's files seem to belong to nobody there.
    func mounting(_ script: String) async throws -> Ending {
        let namespace = ["unshare"] + (Self.isRoot ? [] : ["--user", "--map-root-user"]) + ["--mount"]
        return try await run(namespace + ["sh", "-ec", "capturegate='\(Executable.capturegate)'\n\(script)"])
    }
}
