/// How long a decision holds.
///
/// *thread-safe*
public enum Lifetime: Hashable, Sendable, Codable {
    /// One capture; used up when it starts, also when it crashes at once.
    case once
    /// Until the session ends.
    case session(LoginSession)
    /// Until both clocks agree that the moment has not come.
    case until(GateInstant)
    case always
}
