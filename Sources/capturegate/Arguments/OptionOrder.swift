/// Order of the options on the command line, which the parser does not keep. A repeated setting applies each time to the device
/// named before it.
struct OptionOrder {
    private let words: [String]

    /// Words of this run of the program; none outside of one.
    @TaskLocal static var words: [String] = []

    init(_ words: [String] = Self.words) { self.words = words }

    /// Values of a setting for each device.
    ///
    /// - Parameters:
    ///   - values: of the option, in the order of the command line.
    ///   - option: with its dashes.
    ///   - count: number of devices.
    ///   - device: option that names a device, with its dashes.
    /// - Returns: a value for each device. A single value applies to all devices. Otherwise a device gets the last value after
    ///   its name, or the last one before all names.
    func values<Value>(_ values: [Value], of option: String, for count: Int, _ device: String) -> [Value?] {
        let places = places(of: option, behind: device)
        guard values.count > 1, count > 1, places.count == values.count else {
            return Array(repeating: values.last, count: count)
        }
        let said = zip(places, values)
        let common = said.last { $0.0 == 0 }?.1
        return (1...count).map { number in said.last { $0.0 == number }?.1 ?? common }
    }

    /// Number of devices that were named before each occurrence of an option.
    private func places(of option: String, behind device: String) -> [Int] {
        var (places, named): ([Int], Int) = ([], 0)
        for word in words.prefix(while: { $0 != "--" }) {
            if Self.is(word, device) { named += 1 }
            if Self.is(word, option) { places.append(named) }
        }
        return places
    }

    private static func `is`(_ word: String, _ option: String) -> Bool {
        word == option || word.hasPrefix("\(option)=")
    }
}

extension Sequence {
    /// Last element that satisfies a condition.
    fileprivate func last(where holds: (Element) -> Bool) -> Element? {
        reduce(nil) { found, element in holds(element) ? element : found }
    }
}
