/// A queue whose first element is taken in constant time.
struct Deque<Element> {
    private var elements: [Element?] = []
    private var start = 0

    var isEmpty: Bool { start == elements.count }
    var first: Element? { isEmpty ? nil : elements[start] }
    var all: [Element] { elements[start...].compactMap { $0 } }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Inserts an element into ascending order, nearly always as the last; does nothing if its key is there.
    mutating func insert(_ element: Element, by key: (Element) -> UInt64) {
        let value = key(element)
        var index = elements.count
        // From the end: late arrivals belong near it.
        while index > start, let before = elements[index - 1].map(key), before >= value {
            if before == value { return }
            index -= 1
        }
        elements.insert(element, at: index)
    }

    @discardableResult
    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let first = elements[start].take()
        start += 1
        shrink()
        return first
    }

    /// Moves the rest only when half is empty: constant time for each element on average.
    private mutating func shrink() {
        if start == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= 64)
        } else if start > 32, start * 2 > elements.count {
            elements.removeFirst(start)
        } else {
            return
        }
        start = 0
    }
}
