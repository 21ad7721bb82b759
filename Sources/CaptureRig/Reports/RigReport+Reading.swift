import CaptureBase
import FoundationEssentials
import LinuxSystem

extension RigReport {
    /// Largest document that is read, in bytes: far more than a night of checks with all their plots writes.
    public static let largestDocument = 64 << 20

    /// Reads a report that an earlier run wrote.
    ///
    /// The file is assumed to be hostile: only its numbers and names are used. Blocking.
    ///
    /// - Parameter path: absolute, or relative to the working directory.
    /// - Throws: `.badInput` for a file that can't be read, is longer than ``largestDocument``, or is not such a report: the
    ///   message describes the problem and its place in the document.
    public init(readingFrom path: String) throws(CaptureError) {
        self = try RigReportFile(path: path, largest: Self.largestDocument).report()
    }

    /// Reads a report from text.
    ///
    /// - Parameters:
    ///   - json: the document.
    ///   - name: the document's name in errors.
    /// - Throws: `.badInput`, as ``init(readingFrom:)``.
    public init(json: String, named name: String) throws(CaptureError) {
        self = try RigReportFile(path: name, largest: Self.largestDocument).report(in: Array(json.utf8))
    }
}

/// Document before it becomes a report, and the sentences for all possible mistakes in it.
struct RigReportFile {
    let path: String
    /// In bytes.
    let largest: Int

    /// The file's report.
    func report() throws(CaptureError) -> RigReport {
        let bytes: [UInt8]
        do throws(Errno) {
            // Neither a pipe without a writer nor a terminal may hold up a run. One byte more than is allowed tells the
            // longer file, also where its size is not known before, as of a device.
            let file = try FileDescriptor(opening: path, [.nonBlocking, .noControllingTerminal])
            bytes = try file.readToEnd(limit: largest + 1)
        } catch {
            throw fault("can't be read: \(error.text)", errno: error.number)
        }
        return try report(in: bytes)
    }

    /// The report in the file's bytes.
    func report(in bytes: [UInt8]) throws(CaptureError) -> RigReport {
        guard bytes.count <= largest else {
            throw fault("is longer than \(largest >> 20) MiB, the limit for a report")
        }
        let data = Data(bytes)
        let header: Header = try decoded(from: data)
        try check(schema: header.schema)
        let report: RigReport = try decoded(from: data)
        try check(evidence: report)
        return report
    }

    /// The member that tells a report from any other document.
    private struct Header: Decodable { let schema: String? }

    private func check(schema: String?) throws(CaptureError) {
        guard schema != RigReport.schema else { return }
        let parts = (schema ?? "").split(separator: "/", omittingEmptySubsequences: false)
        let known = RigReport.schema.split(separator: "/")
        guard parts.count == 2, parts.first == known.first, let version = parts.last.flatMap({ Int($0) }) else {
            throw fault("is not a report of a bench rig: it has no schema \"\(RigReport.schema)\"")
        }
        throw fault("has version \(version) of the report's schema, but this program supports only version 1")
    }

    /// Files of evidence lie in the report's directory: one elsewhere, once it is shown beside the report, would bring
    /// any file of the reader's into it.
    private func check(evidence report: RigReport) throws(CaptureError) {
        for file in report.results.flatMap(\.evidence).map(\.file) {
            guard Evidence.isInside(file) else {
                throw fault("names an evidence file outside its directory: \(file)")
            }
        }
    }

    private func decoded<Value: Decodable>(from data: Data) throws(CaptureError) -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(Value.self, from: data)
        } catch let error as DecodingError {
            throw fault(Self.sentence(error))
        } catch {
            throw fault("is not JSON")
        }
    }

    /// The problem, and its place as a program would write it: `results[2].measures[0].unit`.
    private static func sentence(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "has no \(place(context.codingPath + [key]))"
        case .typeMismatch(_, let context) where context.codingPath.isEmpty: "is not a report of a bench rig"
        case .typeMismatch(_, let context): "has a value of the wrong type at \(place(context.codingPath))"
        case .valueNotFound(_, let context): "has no value at \(place(context.codingPath))"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "is not JSON"
        case .dataCorrupted(let context): "has an invalid value at \(place(context.codingPath))"
        @unknown default: "is not a report of a bench rig"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        path.reduce("") { place, key in
            if let index = key.intValue { return "\(place)[\(index)]" }
            return place.isEmpty ? key.stringValue : "\(place).\(key.stringValue)"
        }
    }

    private func fault(_ what: String, errno: Int32 = 0) -> CaptureError {
        CaptureError(.badInput, "\(path) \(what).", errno: errno)
    }
}
