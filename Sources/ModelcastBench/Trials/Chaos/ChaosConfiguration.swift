/// What a chaos trial is made of.
public struct ChaosConfiguration: Hashable, Sendable {
    /// Decides the schedule of faults and what is written.
    public var seed: UInt64
    /// How long there is load and faults.
    public var seconds = 30.0
    public var publishers = 2
    /// Subscribers connect to all of them; without any, to the publishers.
    public var relays = 2
    public var subscribers = 3
    /// Each runs short-lived jobs that push to all relays.
    public var pushers = 1
    /// Writes a second of each publisher.
    public var rate = 3_000.0
    /// How many models all publishers share, and how many each has for itself.
    public var models = 2_000
    /// Each process gets a network namespace of its own, where that is possible.
    public var usesNamespaces = true
    /// How long all may take to become equal once the faults have ended.
    public var restSeconds = 60.0

    /// Where the processes' words are kept; nil for a temporary folder that stays only when something was wrong.
    public var logs: String?

    public init(seed: UInt64) { self.seed = seed }

    /// The processes, in the order of their start.
    var targets: [ChaosSchedule.Target] {
        func named(_ role: ChaosRole, _ count: Int) -> [ChaosSchedule.Target] {
            (0..<count).map {
                ChaosSchedule.Target(name: "\(role.rawValue)-\($0 + 1)", role: role)
            }
        }
        return named(.publisher, publishers) + named(.relay, relays) + named(.subscriber, subscribers)
            + named(.pusher, relays > 0 ? pushers : 0)
    }

    /// It keeps a store: relays, because what jobs push to them is nowhere else, and every other publisher and
    /// subscriber, so that those with and without are both struck.
    func hasStore(_ node: ChaosNode) -> Bool {
        switch node.role {
        case .relay: true
        case .publisher, .subscriber: node.index % 2 == 1
        case .pusher: false
        }
    }

    /// The command line that does the same again: the same faults at the same times; what the machine makes of them
    /// is its own.
    public var commandLine: String {
        "modelcast chaos --seed \(seed) --seconds \(Figures.plain(seconds)) --publishers \(publishers) "
            + "--relays \(relays) --subscribers \(subscribers) --pushers \(pushers) "
            + "--rate \(Figures.plain(rate)) --models \(models)"
            + (restSeconds == 60 ? "" : " --rest \(Figures.plain(restSeconds))")
            + (usesNamespaces ? "" : " --no-namespaces")
    }
}

extension Figures {
    /// A number as one types it: no point where there is nothing behind it.
    static func plain(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
    }
}
