import ArgumentParser

/// How long a model lives, on the command line: seconds, or a number with `ms`, `s`, `m`, `h` or `d` behind it.
struct Lifetime: ExpressibleByArgument, Hashable, Sendable {
    let duration: Duration

    private static let units: [(suffix: String, seconds: Double)] = [
        ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86400),
    ]
    /// The longest lifetime: a hundred years.
    private static let secondsMax: Double = 100 * 366 * 86400

    init?(argument: String) {
        let unit = Lifetime.units.first { argument.hasSuffix($0.suffix) }
        guard let number = Double(argument.dropLast(unit?.suffix.count ?? 0)), number > 0 else { return nil }
        let seconds = number * (unit?.seconds ?? 1)
        guard seconds <= Lifetime.secondsMax, seconds >= 0.001 else { return nil }
        duration = .milliseconds(Int64((seconds * 1000).rounded()))
    }
}
