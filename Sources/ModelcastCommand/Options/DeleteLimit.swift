import ArgumentParser

/// How many models a full data set may delete: a number, or a part of those that were there before.
enum DeleteLimit: Hashable, Sendable, ExpressibleByArgument {
    case count(Int)
    case percent(Double)

    /// Reads a number such as `100`, or a percentage such as `10%` or `2.5%`; nil for anything else.
    init?(argument: String) {
        if argument.hasSuffix("%") {
            guard let percent = Double(argument.dropLast()), (0...100).contains(percent) else { return nil }
            self = .percent(percent)
        } else {
            guard let count = Int(argument), count >= 0 else { return nil }
            self = .count(count)
        }
    }

    /// Whether so many of `total` models may be deleted.
    func allows(_ count: Int, of total: Int) -> Bool {
        switch self {
        case .count(let most): count <= most
        case .percent(let percent): Double(count) * 100 <= percent * Double(total)
        }
    }

    /// The limit as a command line gives it.
    var text: String {
        switch self {
        case .count(let count): "\(count)"
        case .percent(let percent): percent == percent.rounded() ? "\(Int(percent))%" : "\(percent)%"
        }
    }
}
