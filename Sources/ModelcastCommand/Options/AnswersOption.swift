import ArgumentParser

/// How much memory a serving process takes for answers that its peers have not taken yet.
struct AnswersOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How many mebibytes answers to all subscribers, snapshots above all, may take until they have been taken.",
            valueName: "MiB"))
    var answersSize = 64

    /// The size in bytes.
    var byteCount: Int { answersSize << 20 }

    func validate() throws {
        guard (1...65_536).contains(answersSize) else { throw ValidationError("--answers-size is 1 to 65536 MiB") }
    }
}
