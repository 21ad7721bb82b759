import CaptureRig
import LinuxSystem
import Testing

/// The table of checks in Tests/Rig/README.md: each has a twin, which is a device with a fault that it must find.
@Suite("Twins of the checks")
struct CheckTwinTests {
    /// A row: the check's name, its fault, and the files in which that is tested.
    private struct Row {
        let check: String
        let fault: String
        let files: [String]
    }

    private static let tests = String(#filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" })

    private static func text(_ path: String) -> String {
        ProcessFile.text("\(tests)/\(path)", limit: 1 << 20) ?? ""
    }

    /// Rows whose first column is a check's name in backticks.
    private static var rows: [Row] {
        text("Rig/README.md").split(separator: "\n").compactMap { line in
            let columns = line.split(separator: "|").map { $0.trimmed }
            guard columns.count == 4, columns[0].hasPrefix("`"), columns[0].contains(".") else { return nil }
            let files = columns[3].split(separator: "`").map(String.init).filter { $0.contains(".") }
            return Row(check: columns[0].filter { $0 != "`" }, fault: columns[1], files: files)
        }
    }

    @Test("Each check of the catalogue has a row, in the catalogue's order, and no other has")
    func rows() {
        #expect(Self.rows.map(\.check) == CheckCatalogue.all.map(\.name))
    }

    @Test("Each check can be made")
    func makers() {
        for check in CheckCatalogue.all { #expect(CheckMakers.all[check.name] != nil, "\(check.name)") }
    }

    @Test("Each row names a fault, and files that test the check with it")
    func files() {
        for row in Self.rows {
            #expect(!row.fault.isEmpty && !row.files.isEmpty, "\(row.check)")
            for file in row.files {
                let isGroup = file.hasSuffix(".sh")
                let text = Self.text(isGroup ? "Rig/groups/\(file)" : "CaptureRigTests/\(file)")
                #expect(text.contains(isGroup ? "twin \(row.check) " : "\"\(row.check)\""), "\(row.check) in \(file)")
            }
        }
    }
}

extension Substring {
    /// Without spaces at both ends.
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
