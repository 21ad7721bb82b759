import Foundation

let options = Options(CommandLine.arguments.dropFirst())
var passes = true

// First, so that memory which other benchmarks leave behind is not counted.
if options.word.isEmpty || options.word == "memory" {
    let memory = await Memory.measure()
    passes = memory.passes
    options.show(memory.line, json: memory.json)
}

if !options.isJSON { print(Measurement.heading) }
for var benchmark in Benchmark.scheduler + Benchmark.gate
where options.word.isEmpty || benchmark.name.contains(options.word) {
    if options.isAlone { benchmark.peer = nil }
    let measurement = await benchmark.measure(rounds: options.rounds)
    passes = passes && measurement.passes
    options.show(measurement.row, json: measurement.json)
}
exit(passes ? 0 : 1)
