/// A pushed part of a transaction, which no snapshot shows while it waits for the rest.
struct PushedPart: Sendable {
    let stream: ReplayRing.Stream
    let sequence: UInt64
    let amount: CreatedAmount
}
