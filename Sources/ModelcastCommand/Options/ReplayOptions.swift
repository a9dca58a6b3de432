import ArgumentParser
import Modelcast

/// For how long a publisher or relay keeps the batches that it has sent, for subscribers that have lost some.
struct ReplayOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many mebibytes of batches are kept for replay; 0 keeps none.", valueName: "MiB"))
    var replaySize = 64

    @Option(help: ArgumentHelp("For how long batches are kept for replay.", valueName: "seconds"))
    var replayAge = Seconds.minute

    /// The size in bytes.
    var replayByteCount: Int { replaySize << 20 }

    func validate() throws {
        guard (0...65_536).contains(replaySize) else {
            throw ValidationError("--replay-size is 0 to 65536 MiB; 0 keeps nothing")
        }
    }
}
