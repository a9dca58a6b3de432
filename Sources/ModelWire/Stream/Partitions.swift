/// Into how many topics the models of a type are split, by bucket.
public enum Partitions: Int, Sendable, Hashable, CaseIterable {
    case one = 1
    case sixteen = 16
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
