import Foundation
import Glibc

/// Lets one of two threads continue at a time; at each step a seed decides which.
///
/// `@unchecked Sendable`: the condition's lock protects everything.
final class Turns: @unchecked Sendable {
    private let condition = NSCondition()
    private var random: SystemRandomNumberGenerator.Seeded
    /// In how many of 256 steps it is the second one's turn.
    private let share: UInt64
    private var arrived = 0
    private var hasLeft = [false, false]
    private var turn = 0

    init(seed: UInt64) {
        random = SystemRandomNumberGenerator.Seeded(seed)
        share = [128, 128, 24, 232, 4, 252][Int(seed % 6)]
    }

    private func choose() {
        turn = random.next() & 0xFF < share ? 1 : 0
        if hasLeft[turn] { turn = 1 - turn }
        condition.broadcast()
    }

    private func wait(_ index: Int) { while arrived < 2 || turn != index { condition.wait() } }

    /// Both begin here.
    func enter(_ index: Int) {
        condition.lock()
        arrived += 1
        if arrived == 2 { choose() }
        wait(index)
        condition.unlock()
    }

    func step(_ index: Int) {
        condition.lock()
        choose()
        wait(index)
        condition.unlock()
    }

    func leave(_ index: Int) {
        condition.lock()
        hasLeft[index] = true
        choose()
        condition.unlock()
    }

    /// Runs both to their ends, each on a thread.
    func run(_ body: @escaping @Sendable (_ index: Int) -> Void) {
        let ended = DispatchSemaphore(value: 0)
        for index in 0...1 {
            Thread.detachNewThread { [self] in
                enter(index)
                body(index)
                leave(index)
                ended.signal()
            }
        }
        for _ in 0...1 { ended.wait() }
    }
}
