/// One thing that is wrong with a policy file.
///
/// *thread-safe*
package struct PolicyDiagnostic: Hashable, Sendable, CustomStringConvertible {
    /// The file's path, or the folder's where that is what is wrong.
    package let file: String
    /// 1 upwards; 0 where the file as a whole is meant.
    package let line: Int
    /// Characters from 1 upwards; 0 where the file as a whole is meant.
    package let column: Int
    /// One sentence: what is wrong and what to write instead.
    package let message: String

    package init(file: String, line: Int = 0, column: Int = 0, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// `FILE:LINE:COLUMN: MESSAGE`, the form editors jump to.
    package var description: String {
        line == 0 ? "\(file): \(message)" : "\(file):\(line):\(column): \(message)"
    }
}
