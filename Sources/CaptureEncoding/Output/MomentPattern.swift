import CaptureBase
import LinuxSystem

/// A file name with conversions of strftime(3), which a moment replaces: `clip-%Y%m%d-%H%M%S.mkv`.
///
/// Those that are of use in a name: %Y year, %m month, %d day, %H hour, %M minute, %S second, %j day of the year, %s seconds since
/// 1970, %F date, %% a percent sign. Times are local.
final class MomentPattern: Sendable {
    let text: String
    private let pieces: [Piece]
    /// The last name that was given, and how often: a name is not given again even if its file was removed.
    private let last = Locked((name: "", times: 0))

    private enum Piece: Sendable {
        case text(String)
        case conversion(Character)
    }

    private static let conversions: Set<Character> = ["Y", "m", "d", "H", "M", "S", "j", "s", "F"]

    /// - Returns: `nil` for a name without a percent sign.
    /// - Throws: `.usage` for any other conversion.
    init?(_ text: String) throws(CaptureError) {
        guard text.contains("%") else { return nil }
        self.text = text
        var pieces: [Piece] = []
        var rest = text[...]
        while let percent = rest.firstIndex(of: "%") {
            pieces.append(.text(String(rest[..<percent])))
            rest = rest[rest.index(after: percent)...]
            guard let letter = rest.popFirst() else { throw Self.unknown("%", text) }
            if letter == "%" {
                pieces.append(.text("%"))
            } else if Self.conversions.contains(letter) {
                pieces.append(.conversion(letter))
            } else {
                throw Self.unknown("%\(letter)", text)
            }
        }
        self.pieces = pieces + [.text(String(rest))]
    }

    private static func unknown(_ conversion: String, _ text: String) -> CaptureError {
        CaptureError(
            .usage, "\(conversion) in \"\(text)\" is not supported in a segment's name.",
            remedies: [Remedy("Use %Y, %m, %d, %H, %M, %S, %j, %s or %F, or %% for a percent sign.")])
    }

    /// Name of a file that begins at a moment: with `-2`, `-3` and so on before its ending if that name is taken.
    /// - Parameter nanoseconds: time since 1970.
    func name(at nanoseconds: Int64) -> String {
        let name = expanded(nanoseconds)
        return last.withLock { last in
            if last.name != name { last = (name, 0) }
            while last.times < Self.mostAlike {
                last.times += 1
                let numbered = last.times == 1 ? name : Self.numbered(name, last.times)
                if Self.isFree(numbered) { return numbered }
            }
            return name
        }
    }

    private static func numbered(_ name: String, _ number: Int) -> String {
        let folder = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
        let point = name[folder...].lastIndex(of: ".") ?? name.endIndex
        return "\(name[..<point])-\(number)\(name[point...])"
    }

    /// With more files of one name, the pattern is a mistake, and the next file can't be made.
    private static let mostAlike = 10_000

    private static func isFree(_ path: String) -> Bool {
        [path, ClipOutput.partial(of: path)].allSatisfy { FileStatus.ofLink($0).isMissing }
    }

    private func expanded(_ nanoseconds: Int64) -> String {
        let time = CivilTime(nanoseconds: nanoseconds, in: .local)
        return pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .conversion(let letter): Self.text(of: letter, time, nanoseconds)
            }
        }.joined()
    }

    private static func text(of letter: Character, _ time: CivilTime, _ nanoseconds: Int64) -> String {
        switch letter {
        case "Y": padded(time.year, 4)
        case "m": padded(time.month, 2)
        case "d": padded(time.day, 2)
        case "H": padded(time.hour, 2)
        case "M": padded(time.minute, 2)
        case "S": padded(time.second, 2)
        case "j": padded(time.dayOfYear, 3)
        case "F": "\(padded(time.year, 4))-\(padded(time.month, 2))-\(padded(time.day, 2))"
        default: String(nanoseconds / 1_000_000_000)
        }
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

extension Result where Success == FileStatus, Failure == Errno {
    fileprivate var isMissing: Bool {
        if case .failure(.noSuchFileOrDirectory) = self { true } else { false }
    }
}
