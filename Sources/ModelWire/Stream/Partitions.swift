/// The number of topics into which the models of a type are split, by bucket.
public enum Partitions: Int, Sendable, Hashable, CaseIterable {
    /// One topic for the whole type.
    case one = 1
    /// One topic for each first digit of the bucket.
    case sixteen = 16
    /// One topic for each bucket.
    case twoHundredFiftySix = 256

    /// How many hexadecimal digits of the bucket a topic shows.
    var digitCount: Int {
        switch self {
        case .one: 0
        case .sixteen: 1
        case .twoHundredFiftySix: 2
        }
    }
}
