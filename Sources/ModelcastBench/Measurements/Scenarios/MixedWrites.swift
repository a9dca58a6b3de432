/// The writes of a mixed load.
public struct MixedWrites: Codable, Hashable, Sendable {
    var merges = 0
    var replaces = 0
    var deletes = 0
    var transactions = 0
    var backPressured = 0
    /// How long the load took: longer than asked for where it could not keep its rate.
    var seconds = 0.0

    /// How many updates were written; a transaction writes two.
    var updates: Int { merges + replaces + deletes + 2 * transactions }
}
