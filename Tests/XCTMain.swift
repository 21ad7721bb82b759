import Testing

/// Runs all tests of a build. SwiftPM knows this file by its name. Without it, SwiftPM writes one that also looks for XCTest
/// cases, for which the compiler must index all sources: a quarter of the time of a build. This package has no such cases.
@main
struct EntryPoint {
    static func main() async {
        // `swift test` asks for each of the two libraries, and for a list of XCTest cases.
        if CommandLine.arguments.contains("--dump-tests-json") { return print(#"{"tests":[]}"#) }
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
