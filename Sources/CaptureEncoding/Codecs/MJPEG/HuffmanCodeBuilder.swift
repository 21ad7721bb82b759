/// Makes Huffman codes that fit counts, with a word of at most 16 bits for every symbol that may come (ITU-T T.81, K.2). Its
/// memory is used again.
///
/// *session-bound*
final class HuffmanCodeBuilder {
    /// How many words have 1, 2 ... 16 bits.
    let lengths = UnsafeMutablePointer<UInt8>.allocate(capacity: HuffmanCodeBuilder.longest)
    /// By length.
    let symbols = UnsafeMutablePointer<UInt8>.allocate(capacity: HuffmanCodeBuilder.reserved)
    private(set) var count = 0

    /// 257 weights of at most 2^32 make no deeper tree: Fibonacci's has the most, and reaches 2^41 with 59.
    private static let deepest = 64
    private static let longest = 16
    /// No word may be all ones: the symbol behind the last one takes it.
    private static let reserved = 256
    private let weights = UnsafeMutablePointer<UInt64>.allocate(capacity: HuffmanCodeBuilder.reserved + 1)
    private let depths = UnsafeMutablePointer<Int>.allocate(capacity: HuffmanCodeBuilder.reserved + 1)
    /// The next symbol in the same part of the tree, or -1.
    private let next = UnsafeMutablePointer<Int>.allocate(capacity: HuffmanCodeBuilder.reserved + 1)
    /// How many words have a length.
    private let words = UnsafeMutablePointer<Int>.allocate(capacity: HuffmanCodeBuilder.deepest + 1)

    deinit {
        lengths.deallocate()
        symbols.deallocate()
        weights.deallocate()
        depths.deallocate()
        next.deallocate()
        words.deallocate()
    }

    /// - Parameters:
    ///   - counts: how often each of 256 symbols came; 0 is taken for 1.
    ///   - mayCome: which symbols get a word, seen or not.
    func fit(_ counts: UnsafePointer<UInt32>, mayCome: (Int) -> Bool) {
        clear()
        for symbol in 0..<Self.reserved where mayCome(symbol) {
            weights[symbol] = max(UInt64(counts[symbol]), 1)
            count += 1
        }
        weights[Self.reserved] = 1
        while merge() {}
        sort()
        shorten()
    }

    private func clear() {
        weights.initialize(repeating: 0, count: Self.reserved + 1)
        depths.initialize(repeating: 0, count: Self.reserved + 1)
        next.initialize(repeating: -1, count: Self.reserved + 1)
        words.initialize(repeating: 0, count: Self.deepest + 1)
        symbols.initialize(repeating: 0, count: Self.reserved)
        count = 0
    }

    /// Puts the two lightest parts of the tree together.
    /// - Returns: false where one is left.
    private func merge() -> Bool {
        let first = lightest(but: -1)
        let second = lightest(but: first)
        guard second >= 0 else { return false }
        weights[first] += weights[second]
        weights[second] = 0
        next[deepen(first)] = second
        _ = deepen(second)
        return true
    }

    /// - Returns: -1 where there is none. Of equal ones it is the last, so that the reserved word is among the longest.
    private func lightest(but other: Int) -> Int {
        var found = -1
        for index in 0...Self.reserved where weights[index] > 0 && index != other {
            if found < 0 || weights[index] <= weights[found] { found = index }
        }
        return found
    }

    /// - Returns: the last symbol of the part.
    private func deepen(_ start: Int) -> Int {
        var at = start
        depths[at] += 1
        while next[at] >= 0 {
            at = next[at]
            depths[at] += 1
        }
        return at
    }

    private func sort() {
        var at = 0
        for depth in 1...Self.deepest {
            for symbol in 0..<Self.reserved where depths[symbol] == depth {
                symbols[at] = UInt8(symbol)
                at += 1
            }
        }
    }

    /// Lifts pairs of words that are too long; what is deepest stays deepest.
    private func shorten() {
        for symbol in 0...Self.reserved where depths[symbol] > 0 { words[depths[symbol]] += 1 }
        var depth = Self.deepest
        while depth > Self.longest {
            while words[depth] > 0 { liftPair(from: depth) }
            depth -= 1
        }
        while words[depth] == 0 { depth -= 1 }
        words[depth] -= 1
        for length in 1...Self.longest { lengths[length - 1] = UInt8(words[length]) }
    }

    private func liftPair(from depth: Int) {
        var upper = depth - 2
        while words[upper] == 0 { upper -= 1 }
        words[depth] -= 2
        words[depth - 1] += 1
        words[upper + 1] += 2
        words[upper] -= 1
    }
}
