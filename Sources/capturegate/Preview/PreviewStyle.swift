/// How a terminal shows pictures.
enum PreviewStyle: Equatable {
    /// Two pixels a character, by the colours of a half block: any terminal with 24-bit colours.
    case blocks
    /// The same with the 216 colours that every colour terminal has.
    case fewColours
    /// Kitty's graphics protocol.
    case kitty
    /// DEC's sixels.
    case sixel

    /// Reads a terminal's answer to ``question``.
    ///
    /// - Parameter answer: what came back, of both.
    init?(answer: String) {
        if answer.contains("_Gi=31;OK") {
            self = .kitty
        } else if Self.attributes(in: answer).contains("4") {
            self = .sixel
        } else {
            return nil
        }
    }

    /// Whether pictures of kitty's protocol are understood, then the primary device attributes, which every terminal
    /// answers: with their answer, all have come.
    static let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c"

    static func isWhole(_ answer: String) -> Bool { answer.contains("\u{1B}[?") && answer.hasSuffix("c") }

    /// `ESC [ ? 62 ; 4 c`: 4 stands for sixels.
    private static func attributes(in answer: String) -> [Substring] {
        guard let start = answer.range(of: "\u{1B}[?") else { return [] }
        return answer[start.upperBound...].prefix { $0 != "c" }.split(separator: ";").dropFirst().map { $0 }
    }
}
