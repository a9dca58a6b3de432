/// An order of the parent to a worker. A worker ends when its stdin does.
public enum WorkerOrder: Codable, Sendable {
    /// Start the load.
    case begin
    /// End the load, and report `rest` once nothing changes any more.
    case quiesce
    /// Write all models of the cache to a file, and report `written`.
    case write(path: String)
}
