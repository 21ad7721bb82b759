import Foundation

let options = Options(CommandLine.arguments.dropFirst())
var passes = true

let parts: [(names: String, measure: (Options) -> [Comparison])] =
    RingBenchmark.all.map { ring in ("ring \(ring.bytes)", ring.measure) } + [
        ("revocation check", RevocationBenchmark().measure),
        ("wake to commit latency", LatencyBenchmark().measure),
        ("peak memory", MemoryBenchmark().measure),
    ]

if !options.isJSON { print(Comparison.heading) }
for part in parts where options.word.isEmpty || part.names.contains(options.word) {
    for comparison in part.measure(options) {
        passes = passes && comparison.passes
        print(options.isJSON ? comparison.json : comparison.row)
    }
}
exit(passes ? 0 : 1)
