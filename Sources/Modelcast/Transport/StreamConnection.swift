/// A connection to the stream of one sender. Messages arrive whole and in order. Some may be lost where this side does
/// not keep up, or where the connection breaks off, and nobody is told.
protocol StreamConnection: AnyObject {
    /// Asks for the messages whose topic begins with `prefix`. Subscriptions reach the sender in their order, and are
    /// made again after a loss of the connection. Each counts: two subscriptions to one prefix take two to undo.
    func subscribe(to prefix: [UInt8]) throws(ModelcastError)
    func unsubscribe(from prefix: [UInt8]) throws(ModelcastError)

    /// Takes the messages that have come, and lends each to `body`.
    /// - Parameters:
    ///   - countMax: the greatest number of messages to take.
    ///   - body: returns false to leave all further messages for the next time.
    ///   - malformed: is called, with the reason, for a message that is none by its form.
    func receive(
        atMost countMax: Int, _ body: (_ topic: Span<UInt8>, _ payload: Span<UInt8>) -> Bool,
        malformed: (String) -> Bool
    ) throws(ModelcastError)
}
