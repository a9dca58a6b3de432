import ModelRecord
import ModelWire

extension RelayMachine {
    /// Says that this relay stops in good order.
    public func stop(now: Moment) {
        collect(now: now)
        let stamp = clock.tick(nowMilliseconds: now.wallMilliseconds)
        let bye = Bye(origin: configuration.name, incarnation: start.incarnation, stamp: stamp)
        actions.append(.publish(topic: .heads(origin: configuration.name), payload: bye.encode()))
    }
}
