import ModelCache
import ZeroMQ

/// The sockets of a stream: one for those who may read everything, and one for each other set of types that keys may
/// read.
final class StreamSockets: StreamChannel {
    let main: StreamSocket
    private let others = Guarded<[StreamSocket]>([])
    /// There may be others, so without grants nothing is looked up for a message.
    private let hasGrants: Bool

    init(_ main: StreamSocket, hasGrants: Bool) { (self.main, self.hasGrants) = (main, hasGrants) }

    /// The sockets besides the main one.
    var narrowed: [StreamSocket] { hasGrants ? others.withLock { $0 } : [] }

    func open(_ socket: StreamSocket) { others.withLock { $0.append(socket) } }

    func close(_ socket: StreamSocket) { others.withLock { $0.removeAll { $0 === socket } } }

    func publish(topic: [UInt8], _ payload: [UInt8]) throws(ModelcastError) {
        _ = try publish(topic, payload, looks: false)
    }

    func publishFromWriter(topic: [UInt8], _ payload: [UInt8]) throws(ModelcastError) -> Bool {
        try publish(topic, payload, looks: true)
    }

    private func publish(_ topic: [UInt8], _ payload: [UInt8], looks: Bool) throws(ModelcastError) -> Bool {
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in
            var isReadable = try main.publish(topic: topic, payload, looks: looks)
            for socket in narrowed where try socket.publish(topic: topic, payload, looks: looks) { isReadable = true }
            return isReadable
        }
    }
}
