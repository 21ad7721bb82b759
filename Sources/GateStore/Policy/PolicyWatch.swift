import Dispatch
import Gate

/// Tells of every change in a policy folder. It does not compare: two writes may bear one time stamp.
final class PolicyWatch: Sendable {
    let observers = Observers()
    private let watch: FolderWatch

    init(on path: String) {
        let queue = DispatchQueue(label: "capturegate.policy.changes", qos: .userInitiated)
        watch = FolderWatch(path, on: queue) { [observers] in observers.notify() }
    }
}
