import ArgumentParser

/// A time on the command line, in seconds.
struct Seconds: ExpressibleByArgument, Sendable, CustomStringConvertible {
    let duration: Duration
    let description: String

    init?(argument: String) {
        guard let seconds = Double(argument), seconds > 0, seconds <= 1_000_000 else { return nil }
        duration = .seconds(seconds)
        description = "\(argument) s"
    }
}

extension Seconds {
    /// How long an answer may take by default where models are to be brought back: longer than a fetch waits for what
    /// no sender has.
    static let forty = Seconds(duration: .seconds(40), description: "40")
    /// How long an answer may take by default.
    static let five = Seconds(duration: .seconds(5), description: "5")
    /// For how long nothing may have been heard of an origin by default.
    static let fifteen = Seconds(duration: .seconds(15), description: "15")
    /// How long two holders may take to apply the same, by default.
    static let ten = Seconds(duration: .seconds(10), description: "10")

    /// How long deletes are remembered by default.
    static let day = Seconds(duration: .seconds(24 * 3600), description: "86400")

    /// How long batches are kept for replay by default.
    static let minute = Seconds(duration: .seconds(60), description: "60")

    private init(duration: Duration, description: String) {
        self.duration = duration
        self.description = description
    }
}
