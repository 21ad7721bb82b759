/// Builder of Huffman codes that fit symbol counts, in words of at most 16 bits (ITU-T T.81, K.2).
///
/// Written here because libjpeg's own (`optimize_coding`) codes every image twice, and leaves
/// symbols it has not seen without a word. The memory is reused: building a code allocates nothing.
///
/// *session-bound*
final class HuffmanCodeBuilder {
    /// Number of words of 1, 2 … 16 bits: the BITS list of a DHT segment (T.81, B.2.4.2).
    let lengths = UnsafeMutablePointer<UInt8>.allocate(capacity: HuffmanCodeBuilder.longest)
    /// Symbols by ascending length: the HUFFVAL list.
    let symbols = UnsafeMutablePointer<UInt8>.allocate(capacity: HuffmanCodeBuilder.reserved)
    /// Number of symbols in the code.
    private(set) var count = 0

    /// Bound of the tree's depth before words are shortened.
    ///
    /// 257 weights of at most 2^32 give no deeper tree: the deepest comes of Fibonacci weights,
    /// whose sum passes 2^41 at 59.
    private static let deepest = 64
    /// Longest word that DHT can describe.
    private static let longest = 16
    /// Index of an extra symbol that takes the longest word, because T.81 forbids a word of all
    /// ones.
    private static let reserved = 256
    /// Count of each subtree, at the index of its root symbol; 0 once it is merged into another.
    private let weights = UnsafeMutablePointer<UInt64>.allocate(capacity: HuffmanCodeBuilder.reserved + 1)
    /// Length of each symbol's word.
    private let depths = UnsafeMutablePointer<Int>.allocate(capacity: HuffmanCodeBuilder.reserved + 1)
    /// Next symbol of the same subtree, or -1: the chain that K.2 calls OTHERS.
    private let next = UnsafeMutablePointer<Int>.allocate(capacity: HuffmanCodeBuilder.reserved + 1)
    /// Number of words of each length, before and while they are shortened.
    private let words = UnsafeMutablePointer<Int>.allocate(capacity: HuffmanCodeBuilder.deepest + 1)

    deinit {
        lengths.deallocate()
        symbols.deallocate()
        weights.deallocate()
        depths.deallocate()
        next.deallocate()
        words.deallocate()
    }

    /// Builds the code.
    /// - Parameters:
    ///   - counts: occurrences of each of 256 symbols; 0 counts as 1, since every symbol of
    ///     `mayCome` needs a word.
    ///   - mayCome: selects the symbols that get a word, seen or not.
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

    /// Joins the two lightest subtrees (T.81, figure K.1).
    /// - Returns: false once a single tree is left.
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

    /// Finds the lightest subtree other than `other`.
    ///
    /// Among equal ones it takes the last, so that the reserved symbol (the last index) gets one of the longest words.
    /// - Returns: -1 if none exists.
    private func lightest(but other: Int) -> Int {
        var found = -1
        for index in 0...Self.reserved where weights[index] > 0 && index != other {
            if found < 0 || weights[index] <= weights[found] { found = index }
        }
        return found
    }

    /// Adds a bit to the word of every symbol of a subtree.
    /// - Returns: the last symbol of the chain, to which the other subtree is linked.
    private func deepen(_ start: Int) -> Int {
        var at = start
        depths[at] += 1
        while next[at] >= 0 {
            at = next[at]
            depths[at] += 1
        }
        return at
    }

    /// Lists the symbols by length, then by value (T.81, figure K.4).
    private func sort() {
        var at = 0
        for depth in 1...Self.deepest {
            for symbol in 0..<Self.reserved where depths[symbol] == depth {
                symbols[at] = UInt8(symbol)
                at += 1
            }
        }
    }

    /// Shortens words of more than 16 bits (T.81, figure K.3), then drops the reserved one.
    ///
    /// Only the counts per length change. Symbols stay in the order of their depth, so the rarest
    /// keep the longest words.
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

    /// Moves two words of `depth` up: one takes their parent's place, the other becomes the sibling
    /// of a shorter word.
    private func liftPair(from depth: Int) {
        var upper = depth - 2
        while words[upper] == 0 { upper -= 1 }
        words[depth] -= 2
        words[depth - 1] += 1
        words[upper + 1] += 2
        words[upper] -= 1
    }
}
