/// Elements by number; a number that has come free is given again.
struct Places<Element> {
    private var elements: [Element?] = []
    private var free: [Int] = []

    var count: Int { elements.count - free.count }
    var isEmpty: Bool { count == 0 }
    var all: [Element] { elements.compactMap { $0 } }

    /// - Parameter make: gets the element's number.
    mutating func add(_ make: (Int) -> Element) -> Element {
        let place = free.popLast() ?? elements.count
        let element = make(place)
        if place == elements.count { elements.append(element) } else { elements[place] = element }
        return element
    }

    mutating func remove(_ place: Int) {
        elements[place] = nil
        free.append(place)
        guard isEmpty else { return }
        // What once held many must not for ever take their room.
        elements.removeAll(keepingCapacity: elements.capacity <= 64)
        free.removeAll(keepingCapacity: free.capacity <= 64)
    }
}
