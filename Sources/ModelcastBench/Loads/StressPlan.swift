/// The writes of each publisher in a stress trial.
public struct StressPlan: Codable, Sendable {
    /// The publisher's own number, from 0.
    public var index: Int
    /// How many shared models there are, and how many of its own each publisher has.
    public var models: Int
    /// Writes a second.
    public var rate: Double
    /// The seed of the random writes, together with ``index``.
    public var seed: UInt64 = 0

    /// The type of the models that all publishers write: the same fields, and one field for each publisher.
    public static let sharedType = "Shared"
    /// The type of the models that only one publisher writes.
    public static let ownType = "Own"
    /// The type of the beats: one model a publisher, which carries the time at which it was written last.
    public static let beatType = "Beat"

    static func sharedID(_ number: Int) -> String { "shared-\(number)" }
    static func ownID(_ index: Int, _ number: Int) -> String { "own-\(index)-\(number)" }
    static func beatID(_ index: Int) -> String { "beat-\(index)" }

    /// Every id that this publisher may write, by type.
    var ids: [(type: String, ids: [String])] {
        [
            (StressPlan.sharedType, (0..<models).map(StressPlan.sharedID)),
            (StressPlan.ownType, (0..<models).map { StressPlan.ownID(index, $0) }),
            (StressPlan.beatType, [StressPlan.beatID(index)]),
        ]
    }
}
