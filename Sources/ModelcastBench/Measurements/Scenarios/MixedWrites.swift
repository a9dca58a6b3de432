/// What a mixed load has written.
public struct MixedWrites: Codable, Hashable, Sendable {
    var merges = 0
    var replaces = 0
    var deletes = 0
    var transactions = 0
    var backPressured = 0
    /// Longer than asked for where the load could not keep its rate.
    var seconds = 0.0

    /// A transaction writes two models.
    var updates: Int { merges + replaces + deletes + 2 * transactions }
}
