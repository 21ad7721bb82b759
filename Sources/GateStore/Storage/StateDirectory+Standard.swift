import CSystem
import Gate

extension StateDirectory {
    /// `$XDG_STATE_HOME/capturegate`, else `~/.local/state/capturegate`.
    ///
    /// A relative XDG_STATE_HOME or HOME is ignored, as the XDG Base Directory Specification (0.8) demands: else the
    /// folder a program happens to run in would choose its grants.
    static func standardPath(environment: [String: String]) throws(CaptureError) -> String {
        if let state = absolute(environment["XDG_STATE_HOME"]) { return state + "/capturegate" }
        if let home = absolute(environment["HOME"]) ?? homeOfUser() { return home + "/.local/state/capturegate" }
        throw StoreFailure.error(
            "This user has no home folder to keep grants in.", errno: ENOENT,
            "Name a folder from the root on in XDG_STATE_HOME.", command: ["export", "XDG_STATE_HOME=/var/lib/NAME"])
    }

    private static func absolute(_ path: String?) -> String? {
        guard var path, path.hasPrefix("/") else { return nil }
        while path.hasSuffix("/") { path.removeLast() }
        return path
    }

    private static func homeOfUser() -> String? {
        var user = cs_user()
        guard cs_user_by_id(cs_geteuid(), &user) == 1 else { return nil }
        return withUnsafeBytes(of: user.home) { absolute(String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)) }
    }
}
