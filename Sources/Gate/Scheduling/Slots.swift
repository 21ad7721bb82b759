/// The slots of a queue: as many as it is wide.
struct Slots: Sendable {
    let room: LockRoom
    let lane: LockTable.Lane

    var isFree: Bool { room.hasSlot(lane) }

    /// Takes one, where one is free.
    func take() -> Bool { room.takeSlot(of: lane) }

    func give() { room.giveSlot(of: lane) }
}
