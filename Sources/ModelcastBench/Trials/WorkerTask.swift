/// What a worker process of a trial is to do; handed to it as JSON on its command line.
public enum WorkerTask: Codable, Sendable {
    /// - `bind`: the control endpoint; nil for any free port of this host.
    /// - `store`: a file that keeps the models; written before anything is sent. Nil for none.
    case publish(name: String, bind: String? = nil, load: LoadChoice, store: String? = nil)
    case relay(name: String, bind: String, publishers: [String], store: String? = nil)
    /// - `publishers`: the control endpoints of publishers, or of relays.
    case subscribe(name: String, publishers: [String], showsHost: Bool, store: String? = nil)
    /// Sees to it that nothing of a chaos trial is left over, should the trial itself be killed.
    case sweep(run: String)

    /// Which load a publisher carries.
    public enum LoadChoice: Codable, Sendable {
        /// This host's processes, interfaces, disks and counters, from `/proc`.
        case host
        /// The lines of a file, again and again.
        case replay(path: String, linesPerSecond: Double)
        /// Random writes to models that other publishers write too.
        case stress(StressPlan)
        /// The same, from the start of each process on.
        case chaos(ChaosPlan)
    }
}
