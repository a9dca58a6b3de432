/// A connection for requests to one sender, and for its replies. They arrive whole, once and in order, or not at all:
/// what was under way when a connection breaks off is lost.
protocol RequestConnection: AnyObject {
    /// Something may have come since the last wait.
    var isReadable: Bool { get }

    /// Queues a request. One that finds no room is lost; whoever waits for the reply asks again.
    func send(_ request: [UInt8]) throws(ModelcastError)

    /// Takes the next reply, and lends it to `body`.
    func receive(_ body: (Span<UInt8>) -> Void) throws(ModelcastError) -> Receipt

    /// The state of the other side. A connection that has failed tells nothing more.
    func look() throws(ModelcastError) -> Greeting
}

/// The outcome of receiving a reply.
enum Receipt: Equatable {
    /// Nothing has come.
    case nothing
    case reply
    /// A message that is no reply by its form. It was skipped.
    case malformed
}
