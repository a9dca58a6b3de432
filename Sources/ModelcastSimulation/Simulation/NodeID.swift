/// The identity of a process in a simulation.
public struct NodeID: Hashable, Sendable {
    let index: Int
}
