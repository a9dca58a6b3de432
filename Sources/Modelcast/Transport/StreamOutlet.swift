import Synchronization

/// The stream of a sender. Any thread may send on it, in turns with the thread that serves.
final class StreamOutlet: Sendable {
    private let channel: any StreamChannel
    private let busy = Atomic<Bool>(false)

    init(_ channel: some StreamChannel) { self.channel = channel }

    /// The serving thread has taken batches under the publisher's lock, and has not sent all of them yet. No other
    /// thread may send meanwhile, so that no later batch overtakes an earlier one. Set under that lock, cleared without
    /// it.
    var isBusy: Bool {
        get { busy.load(ordering: .acquiring) }
        set { busy.store(newValue, ordering: .releasing) }
    }

    /// Sends one message to every subscriber of its topic. It is dropped for one whose queue is full, and never
    /// refused.
    func publish(topic: [UInt8], _ payload: [UInt8]) throws(ModelcastError) {
        try channel.publish(topic: topic, payload)
    }

    /// The same, on another thread than the one that serves.
    /// - Returns: true when the serving thread has to be woken, because there is something to receive.
    func publishFromWriter(topic: [UInt8], _ payload: [UInt8]) throws(ModelcastError) -> Bool {
        try channel.publishFromWriter(topic: topic, payload)
    }
}

/// The stream of a sender, as a transport implements it. ``StreamOutlet`` says what its methods do.
protocol StreamChannel: AnyObject, Sendable {
    func publish(topic: [UInt8], _ payload: [UInt8]) throws(ModelcastError)
    func publishFromWriter(topic: [UInt8], _ payload: [UInt8]) throws(ModelcastError) -> Bool
}
