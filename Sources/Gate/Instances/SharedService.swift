import CaptureBase

/// A service that is shared, and those who wait while it is built.
///
/// *thread-safe*
final class SharedService<Service: AuthorizedService>: Sendable {
    struct Built: Sendable {
        let service: Service
        /// How the captures that it began go.
        let usage: PermitUsage
    }

    private struct State {
        var built: Built?
        var waiting: [Promise<Result<Service, CaptureError>>] = []
        var isBuilding = false
    }

    private let state = Locked(State())

    var built: Built? { state.withLock { $0.built } }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Whether the one who joins is to build it.
    func join(_ promise: Promise<Result<Service, CaptureError>>) -> Bool {
        state.withLock { state in
            state.waiting.append(promise)
            defer { state.isBuilding = true }
            return !state.isBuilding
        }
    }

    /// It has been built, or could not be.
    func end(_ result: Result<Built, CaptureError>) {
        let waiting = state.withLock { state in
            state.built = try? result.get()
            state.isBuilding = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for promise in waiting { promise.fulfil(result.map(\.service)) }
    }

    func release() {
        // Released outside the lock: its end may come back here.
        let built = state.withLock { state in
            defer { state.built = nil }
            return state.built
        }
        withExtendedLifetime(built) {}
    }
}
