/// Colours for a terminal; plain text where there are none.
struct Ink: Sendable {
    let isOn: Bool

    init(for stream: StandardStream) { isOn = stream.hasColours }

    func bold(_ text: String) -> String { set("1", text) }
    func faint(_ text: String) -> String { set("2", text) }
    func red(_ text: String) -> String { set("31", text) }
    func green(_ text: String) -> String { set("32", text) }
    func yellow(_ text: String) -> String { set("33", text) }

    private func set(_ code: String, _ text: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
