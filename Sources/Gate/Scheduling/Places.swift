/// Elements by number; a number that has come free is given again.
struct Places<Element> {
    private var elements: [Element?] = []
    private var free: [Int] = []

    var count: Int { elements.count - free.count }
    var isEmpty: Bool { count == 0 }
    var all: [Element] { elements.compactMap { $0 } }

    /// - Returns: the element's number.
    mutating func add(_ element: Element) -> Int {
        guard let place = free.popLast() else {
            elements.append(element)
            return elements.count - 1
        }
        elements[place] = element
        return place
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
