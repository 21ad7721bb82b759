extension Subject {
    /// Whether a decision about `self` speaks of a process that is `other`: same user, same path, same sandbox.
    ///
    /// Two Flatpaks or snaps can have the same path inside, so their names must be equal. Of systemd units only a
    /// service counts, and only where the decision names one: scopes come and go with a login.
    func matches(_ other: Subject) -> Bool {
        userID == other.userID && executable.path == other.executable.path
            && sandbox == other.sandbox && (service == nil || service == other.service)
    }

    private var sandbox: ApplicationID? {
        guard let application, application.kind != .unit else { return nil }
        return application
    }

    private var service: String? {
        guard let application, application.kind == .unit, application.name.hasSuffix(".service") else { return nil }
        return application.name
    }
}
