import ModelCache

extension Publisher: ThreadService {
    static let kind = "publisher"
    static let threadName = "modelcast-pub"

    /// Binds, serves and pushes on the calling thread until the publisher is stopped.
    func runOnThisThread() throws {
        defer {
            // Also after a failure, so that waiting tasks, and later ones, end with an error.
            core.withLock { $0.isStopped = true }
            endPushing()
            refuseWriters()
            applied.lookAgain()
            store?.close(logger: logger)
            cache.endStreams()
        }
        try PublisherLoop(publisher: self).run()
    }
}
