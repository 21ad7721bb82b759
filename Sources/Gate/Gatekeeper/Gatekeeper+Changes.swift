extension Gatekeeper {
    /// The status now, and each time it changes, from whichever process. Asks nobody.
    ///
    /// A consumer that is slow gets the latest and misses those between.
    public func statusChanges<Asked: CapabilityType>(of capability: Asked) -> AsyncStream<AuthorizationStatus> {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Listening comes first, so that a change during the first look is not lost.
        let observations = [
            store.observeChanges { signal.yield() }, policy.observeChanges { signal.yield() },
        ]
        signal.yield()
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let follower = Task {
                var last: AuthorizationStatus?
                for await _ in signals {
                    let status = await self.status(of: capability)
                    if status != last { continuation.yield(status) }
                    last = status
                }
                withExtendedLifetime(observations) {}
            }
            continuation.onTermination = { _ in
                signal.finish()
                follower.cancel()
            }
        }
    }
}
