/// What a process of a chaos trial is.
public enum ChaosRole: String, CaseIterable, Codable, Sendable {
    case publisher
    case relay
    case subscriber
    /// Short-lived jobs, one after the other, that push to the relays.
    case pusher

    /// It holds a copy of everything.
    var isCopy: Bool { self == .relay || self == .subscriber }
}
