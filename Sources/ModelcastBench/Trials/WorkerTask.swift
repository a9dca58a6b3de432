/// The task of a worker process in a trial, which it gets as JSON on its command line.
public enum WorkerTask: Codable, Sendable {
    /// A publisher with a load.
    /// - `bind`: the control endpoint; nil for any free port of this host.
    /// - `store`: a file that keeps the models, written before anything is sent; nil for none.
    /// - `keys`: its keys, and what it holds others to; nil for none.
    case publish(name: String, bind: String? = nil, load: LoadChoice, store: String? = nil, keys: WorkerKeys? = nil)
    /// A relay.
    /// - `bind`: the control endpoint; nil for any free port of this host.
    case relay(
        name: String, bind: String? = nil, publishers: [String], store: String? = nil, keys: WorkerKeys? = nil)
    /// A subscriber.
    /// - `publishers`: the control endpoints of publishers, or of relays.
    /// - `isInspected`: it serves the inspector, whose address its reports tell.
    case subscribe(
        name: String, publishers: [String], showsHost: Bool, isInspected: Bool = false, store: String? = nil,
        keys: WorkerKeys? = nil)
    /// A process that tries what it may do with its key, and what it may not, and ends.
    case attempt(name: String, attempts: [AccessAttempt], keys: WorkerKeys)
    /// A sweeper, which removes what a chaos trial has left over, also when the trial itself is killed.
    case sweep(run: String)

    /// The load of a publisher.
    public enum LoadChoice: Codable, Sendable {
        /// This host's processes, interfaces, disks and counters, from `/proc`.
        case host
        /// The lines of a file, again and again.
        case replay(path: String, linesPerSecond: Double)
        /// Random writes to models that other publishers write too.
        case stress(StressPlan)
        /// Random writes, after each model that the publisher may write was replaced where it does not keep its models.
        case chaos(ChaosPlan)
    }
}
