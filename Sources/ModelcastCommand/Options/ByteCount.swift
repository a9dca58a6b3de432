import ArgumentParser

/// A number of bytes on the command line: `65536`, `64KiB`, `8MiB` or `1GiB`.
struct ByteCount: ExpressibleByArgument, Sendable, Hashable {
    let count: Int

    private static let max = 1 << 40

    /// - Returns: nil for what is no such number, and for more than a tebibyte.
    init?(argument: String) {
        let units = ["KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30]
        let unit = units.first { argument.hasSuffix($0.key) }
        let digits = argument.dropLast(unit == nil ? 0 : 3)
        let size = unit?.value ?? 1
        guard let number = Int(digits), number >= 0, number <= ByteCount.max / size else { return nil }
        count = number * size
    }
}
