/// A process of a simulation.
public struct NodeID: Hashable, Sendable {
    let index: Int
}
