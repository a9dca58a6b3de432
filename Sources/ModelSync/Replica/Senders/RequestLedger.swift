import ModelRecord

/// The purpose of a request that is under way.
enum RequestPurpose {
    /// The repair of a stream.
    case repair(StreamState)
    /// The audit of a type.
    case audit(String)
    /// A fetch, by its number.
    case fetch(UInt64)
}

/// The numbers of requests, the chance in when they go out, and what each open one belongs to.
struct RequestLedger {
    /// The chance in jitter, pauses and barriers.
    var generator: SeededGenerator
    /// The number that the next request gets.
    private(set) var next: UInt64 = 1
    private var open: [UInt64: (sender: SenderID, purpose: RequestPurpose)] = [:]

    /// - Parameter seed: any number that differs between processes.
    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// A number for a request that this ledger does not keep: the session of the sender, or the renewal, remembers it.
    mutating func take() -> UInt64 {
        defer { next += 1 }
        return next
    }

    /// A number for a request of a repair, an audit or a fetch, which stays open until ``end(_:)``.
    mutating func begin(_ purpose: RequestPurpose, at sender: SenderID) -> UInt64 {
        let rid = take()
        open[rid] = (sender, purpose)
        return rid
    }

    mutating func end(_ rid: UInt64) { open[rid] = nil }

    func contains(_ rid: UInt64) -> Bool { open[rid] != nil }

    /// The purpose of the request with that number to this sender; nil where another sender was asked, or none.
    func purpose(of rid: UInt64, at sender: SenderID) -> RequestPurpose? {
        guard let (asked, purpose) = open[rid], asked == sender else { return nil }
        return purpose
    }

    /// All open requests, in no order.
    var all: some Sequence<(rid: UInt64, sender: SenderID, purpose: RequestPurpose)> {
        open.lazy.map { ($0.key, $0.value.sender, $0.value.purpose) }
    }
}
