/// The role of a process in a chaos trial.
public enum ChaosRole: String, CaseIterable, Codable, Sendable {
    case publisher
    case relay
    case subscriber
    /// Short-lived jobs, one after the other, that push to the relays.
    case pusher

    /// True for processes that hold a copy of everything.
    var isCopy: Bool { self == .relay || self == .subscriber }
}
