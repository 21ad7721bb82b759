/// The line of questions: one is asked at a time, identical ones are one. A pure state machine; `QuestionDesk` acts.
struct QuestionLine {
    struct Entry {
        let id: Int
        let key: QuestionKey
        var waiters: Set<Int>
        /// Everybody who waited has left; it is on its way out and nobody may join it.
        var isWithdrawn = false
    }

    private(set) var entries: [Entry] = []
    private var nextID = 0

    /// The question that is being asked.
    var head: Entry? { entries.first }

    enum Joined: Equatable {
        case existing(entry: Int)
        case new(entry: Int, startNow: Bool)
    }

    mutating func join(_ waiter: Int, _ key: QuestionKey) -> Joined {
        if let same = entries.firstIndex(where: { $0.key == key && !$0.isWithdrawn }) {
            entries[same].waiters.insert(waiter)
            return .existing(entry: entries[same].id)
        }
        nextID += 1
        entries.append(Entry(id: nextID, key: key, waiters: [waiter]))
        return .new(entry: nextID, startNow: entries.count == 1)
    }

    enum Left: Equatable {
        case nothing
        /// Nobody waits for it any more: cancel it; `finish` follows when it has ended.
        case withdraw(entry: Int)
        /// It never began.
        case forget(entry: Int)
    }

    mutating func leave(_ waiter: Int) -> Left {
        guard let index = entries.firstIndex(where: { $0.waiters.contains(waiter) }) else { return .nothing }
        entries[index].waiters.remove(waiter)
        guard entries[index].waiters.isEmpty else { return .nothing }
        let id = entries[index].id
        if index == 0 {
            entries[0].isWithdrawn = true
            return .withdraw(entry: id)
        }
        entries.remove(at: index)
        return .forget(entry: id)
    }

    /// The head has ended: who waited for it, and which is asked next.
    mutating func finish(_ entry: Int) -> (waiters: Set<Int>, next: Int?) {
        guard head?.id == entry else { return ([], nil) }
        let ended = entries.removeFirst()
        return (ended.waiters, head?.id)
    }
}
