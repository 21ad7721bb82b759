import Foundation

/// Extent of a property that is tried in many random ways: a fifth of them by default, all with `CAPTUREGATE_LONG`.
enum Extent {
    private static let isLong = ProcessInfo.processInfo.environment["CAPTUREGATE_LONG"] != nil

    static func count(of all: Int) -> Int { isLong ? all : all / 5 }
}

/// How long a fuzzer runs: one seed, and then others for as many seconds as CAPTUREGATE_FUZZ_SECONDS says.
enum FuzzTime {
    static func run(_ first: UInt64, _ body: (UInt64) throws -> Void) rethrows {
        try body(first)
        let seconds = ProcessInfo.processInfo.environment["CAPTUREGATE_FUZZ_SECONDS"].flatMap { Double($0) } ?? 0
        let end = Date.now.addingTimeInterval(seconds)
        var seed = first + 1000
        while Date.now < end {
            try body(seed)
            seed += 1
        }
    }
}
