import Testing

@testable import capturegate

@Suite("settings of several devices")
struct OptionOrderTests {
    private func sizes(_ line: String, of count: Int = 2) -> [String?] {
        let words = line.split(separator: " ").map(String.init)
        let values = words.indices.compactMap { index -> String? in
            if words[index].hasPrefix("--size=") { return String(words[index].dropFirst(7)) }
            return index > 0 && words[index - 1] == "--size" ? words[index] : nil
        }
        return OptionOrder(words).values(values, of: "--size", for: count, "--camera")
    }

    @Test("what is said once is for all of them, wherever it stands")
    func once() {
        #expect(sizes("--camera a --size 1 --camera b") == ["1", "1"])
        #expect(sizes("--size 1 --camera a --camera b") == ["1", "1"])
        #expect(sizes("--camera a --camera b") == [nil, nil])
    }

    @Test("what is said again is for the device before, and what stands before all devices for those without their own")
    func again() {
        #expect(sizes("--camera a --size 1 --camera b --size 2") == ["1", "2"])
        #expect(sizes("--camera=a --size=1 --camera=b --size=2") == ["1", "2"])
        #expect(sizes("--size 1 --camera a --camera b --size 2") == ["1", "2"])
        #expect(sizes("--camera a --size 1 --size 2 --camera b") == ["2", nil])
        #expect(sizes("--camera a --size 1 --camera b --camera c --size 3", of: 3) == ["1", nil, "3"])
    }

    @Test("with one device the last one counts")
    func one() {
        #expect(sizes("--size 1 --camera a --size 2", of: 1) == ["2"])
        #expect(sizes("--size 1 --size 2", of: 1) == ["2"])
    }
}
