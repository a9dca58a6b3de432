import Modelcast

extension Publisher {
    /// Makes a write, again where the outbox is full.
    /// - Parameter pause: lets a moment pass, so that the socket's thread has the processor.
    /// - Returns: what became of it, and how often the outbox was full.
    @inline(__always)
    func insisting<Outcome>(
        pause: () -> Void, _ write: () throws -> Outcome
    ) throws -> (outcome: Outcome, retries: Int) {
        var retries = 0
        while true {
            do {
                return (try write(), retries)
            } catch let error as ModelcastError where error.code == .outboxFull {
                retries += 1
                pause()
            }
        }
    }
}
