import Foundation

/// Another project's program, as a judge of what we wrote.
package enum Tool {
    package struct Result {
        package let status: Int32
        package let output: [UInt8]
        package let errors: String

        package var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// Runs it to its end; output and errors go by way of files, so that neither can block.
    package static func run(_ name: String, _ arguments: [String], in scratch: Scratch) throws -> Result {
        let (out, err) = (scratch.path(), scratch.path())
        for path in [out, err] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: out))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: err))
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: try Scratch.read(out),
            errors: String(decoding: try Scratch.read(err), as: UTF8.self))
    }

    /// Runs it and gives what it wrote.
    /// - Throws: `ToolFailure` for any status but 0.
    package static func output(_ name: String, _ arguments: [String], in scratch: Scratch) throws -> [UInt8] {
        let result = try run(name, arguments, in: scratch)
        guard result.status == 0 else { throw ToolFailure(name: name, result: result) }
        return result.output
    }

    package static func text(_ name: String, _ arguments: [String], in scratch: Scratch) throws -> String {
        String(decoding: try output(name, arguments, in: scratch), as: UTF8.self)
    }
}

struct ToolFailure: Error, CustomStringConvertible {
    let name: String
    let result: Tool.Result

    var description: String { "\(name) exited with \(result.status): \(result.errors)" }
}
