import ModelRecord
import ModelWire

extension Origin {
    /// Closes the open batches, and says that this origin stops in good order.
    public mutating func stop(now: Moment) {
        flush()
        let bye = Bye(
            origin: configuration.name, incarnation: incarnation,
            stamp: clock.tick(nowMilliseconds: now.wallMilliseconds))
        publish(.heads(origin: configuration.name), bye.encode())
    }
}
