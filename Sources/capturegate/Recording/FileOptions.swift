import ArgumentParser

/// How long and how large the files of a recording become.
struct FileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The most a file may have, such as 500M: the clip ends there, valid and with exit code 0.",
            valueName: "size"),
        transform: ByteCountArgument.parse)
    var maxSize: ByteCountArgument?

    @Option(
        help: ArgumentHelp(
            "A new file each so often: out-0001.mkv, out-0002.mkv and on.",
            discussion: """
                No sample and no picture is lost or doubled between two. Each file has its name, and is whole, as soon as \
                it is over. With --max-size a file that becomes too large makes way for the next one sooner.
                """, valueName: "time"),
        transform: DurationArgument.parse)
    var segment: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Record to a further file, too, in the format of its ending; again for each further one.",
            discussion: """
                Each gets the tracks it can hold: a .flac beside a .mkv the first microphone's sound. One that fails is told \
                of and does not end the others; the exit code is its own. Each has an encoder on a thread of its own: one that \
                is 16 pictures behind leaves the next out of its own file, and counts them in its own ledger; sound is \
                never left out. - is standard output.
                """, valueName: "out"), completion: .file())
    var tee: [String] = []
}
