import Testing

@testable import CaptureRealtime

@Suite("MappingOwnership of mapped buffers")
struct MappingOwnershipTests {
    /// One end's atomic steps, in its order.
    private enum Step {
        case enter, leave, close, abandon
        case end(discarding: Bool)
    }

    /// Plays the steps of both ends in every order that keeps each end's own.
    ///
    /// - Returns: How often the memory was unmapped in each order, and whether a reader was inside then or came after.
    private func play(_ reader: [Step], _ producer: [Step]) -> [(unmaps: Int, wasUnsafe: Bool)] {
        orders(reader.count, producer.count).map { order in
            let ownership = MappingOwnership()
            var (reader, producer) = (reader[...], producer[...])
            var (unmaps, isInside, wasUnsafe) = (0, false, false)
            for isReader in order {
                switch isReader ? reader.removeFirst() : producer.removeFirst() {
                case .enter:
                    isInside = ownership.enter()
                    if isInside, unmaps > 0 { wasUnsafe = true }
                case .close: if isInside { ownership.close() }
                case .leave:
                    guard isInside else { break }
                    isInside = false
                    if ownership.leave() { unmaps += 1 }
                case .abandon: if ownership.abandon() { unmaps += 1 }
                case .end(let discarding):
                    if ownership.end(discarding: discarding) {
                        unmaps += 1
                        if isInside { wasUnsafe = true }
                    }
                }
            }
            return (unmaps, wasUnsafe)
        }
    }

    private func orders(_ a: Int, _ b: Int) -> [[Bool]] {
        if a == 0 { return [Array(repeating: false, count: b)] }
        if b == 0 { return [Array(repeating: true, count: a)] }
        return orders(a - 1, b).map { [true] + $0 } + orders(a, b - 1).map { [false] + $0 }
    }

    @Test("After a revocation exactly one end unmaps, and never under the reader's eyes")
    func revoked() {
        let visits: [Step] = [.enter, .leave, .enter, .leave, .enter, .leave]
        let results = play(visits, [.end(discarding: true)])
        #expect(results.count == 7)
        #expect(results.allSatisfy { $0.unmaps == 1 && !$0.wasUnsafe })
    }

    @Test("A reader that goes away during a revocation neither doubles nor forgets it")
    func revokedAndAbandoned() {
        let results = play([.enter, .leave, .enter, .leave, .abandon], [.end(discarding: true)])
        #expect(results.allSatisfy { $0.unmaps == 1 && !$0.wasUnsafe })
    }

    @Test("A reader that goes away while the loop ends neither doubles nor forgets it")
    func abandoned() {
        let results = play([.enter, .leave, .abandon], [.end(discarding: false)])
        #expect(results.allSatisfy { $0.unmaps == 1 && !$0.wasUnsafe })
    }

    @Test("A reader that drains the ring after its end unmaps, also if it then goes away")
    func drained() {
        let results = play(
            [.end(discarding: false), .enter, .leave, .enter, .close, .leave, .enter, .leave, .abandon], [])
        #expect(results.map(\.unmaps) == [1])
    }
}
