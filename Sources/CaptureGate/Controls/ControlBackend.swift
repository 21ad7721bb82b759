import Gate

/// Open controls of one device: the common part of a camera's driver and a sound card's mixer.
///
/// The device is closed with the value.
///
/// *session-bound*
protocol ControlBackend: AnyObject {
    /// All controls in the device's order, with their present values.
    func controls() throws(DeviceCallError) -> [DeviceControl]
    /// The same control with its present value.
    func read(_ control: DeviceControl) throws(DeviceCallError) -> DeviceControl
    /// Sets a value that was checked.
    ///
    /// - Returns: the number or text that the device was given: a number if decibels were requested.
    func write(_ value: ControlValue, to control: DeviceControl) throws(DeviceCallError) -> ControlValue
}

/// Controls of a device that has none, as the built-in ones.
final class NoControls: ControlBackend {
    func controls() throws(DeviceCallError) -> [DeviceControl] { [] }
    func read(_ control: DeviceControl) throws(DeviceCallError) -> DeviceControl { control }
    func write(_ value: ControlValue, to control: DeviceControl) throws(DeviceCallError) -> ControlValue { value }
}

/// Names of controls, derived from the device's own words.
enum ControlName {
    /// Spelling of `v4l2-ctl`: letters and digits in lower case, one underscore for anything between them.
    static func spelled(_ label: String) -> String {
        var name = ""
        var isBetween = false
        for byte in label.utf8 {
            let isLetter = (0x61...0x7A).contains(byte | 0x20) && byte < 0x80
            if isLetter || (0x30...0x39).contains(byte) {
                if isBetween, !name.isEmpty { name += "_" }
                isBetween = false
                name.unicodeScalars.append(Unicode.Scalar(isLetter ? byte | 0x20 : byte))
            } else {
                isBetween = true
            }
        }
        return name
    }

    /// Makes shared names different: the second control of a name gets the suffix `_2`.
    static func distinct(_ names: [String]) -> [String] {
        var seen: [String: Int] = [:]
        return names.map { name in
            let count = seen[name, default: 0] + 1
            seen[name] = count
            return count == 1 ? name : "\(name)_\(count)"
        }
    }

    /// Names that somebody may have meant, the likeliest first, three at most.
    static func nearest(to name: String, among names: [String]) -> [String] {
        let wanted = spelled(name)
        let ranked = names.map { ($0, EditDistance.between(wanted, $0)) }
            .filter { $0.1 <= max(2, wanted.count / 3) || !wanted.isEmpty && $0.0.contains(wanted) }
        return ranked.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.prefix(3).map(\.0)
    }
}

/// Text in an array of fixed size, as C structures hold it.
enum FixedText {
    /// Text of a C array, which Swift imports as a tuple.
    ///
    /// - Parameter array: bytes up to the first zero; invalid UTF-8 is replaced.
    static func of<Array>(_ array: Array) -> String {
        withUnsafeBytes(of: array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Text of a buffer that a C function has filled.
    static func of(_ array: [CChar]) -> String {
        array.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
