import Gate

/// Counts the tokens that are alive: what holds one is not gone.
final class Population: Sendable {
    final class Token: Sendable {
        private let population: Population

        fileprivate init(_ population: Population) {
            self.population = population
            population.state.withLock { $0 += 1 }
        }

        deinit { population.state.withLock { $0 -= 1 } }
    }

    private let state = Locked(0)

    var count: Int { state.withLock { $0 } }
    func token() -> Token { Token(self) }
}
