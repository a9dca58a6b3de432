import ModelRecord

/// The models that tasks want brought back, handed from the tasks to the socket thread; and those that it has found,
/// handed to the tasks. Under the lock of its service.
struct FetchDesk {
    /// A wish that the socket thread has not seen yet.
    struct Request {
        let token: UInt64
        let type: String
        let ids: [String]
    }

    /// What the socket thread has not seen yet.
    struct News {
        var begun: [Request] = []
        /// Numbers that nobody waits for any more.
        var ended: [UInt64] = []
    }

    private var news = News()
    private var open: Set<UInt64> = []
    private var found: [UInt64: [CellRecord]] = [:]
    private var lastToken: UInt64 = 0

    /// Somebody wants these models.
    /// - Returns: the number under which to ask for them.
    mutating func begin(_ type: String, _ ids: [String]) -> UInt64 {
        lastToken += 1
        open.insert(lastToken)
        news.begun.append(Request(token: lastToken, type: type, ids: ids))
        return lastToken
    }

    /// The models; nil while they are on their way.
    func result(_ token: UInt64) -> [CellRecord]? { found[token] }

    /// Nobody waits under this number any more.
    /// - Returns: the socket thread has to be told, as it has not brought the models.
    mutating func end(_ token: UInt64) -> Bool {
        open.remove(token)
        guard found.removeValue(forKey: token) == nil else { return false }
        news.ended.append(token)
        return true
    }

    /// Takes models that have been brought back.
    mutating func fetched(_ token: UInt64, _ records: [CellRecord]) {
        if open.contains(token) { found[token] = records }
    }

    /// What is new since the last call.
    mutating func take() -> News {
        defer { news = News() }
        return news
    }
}
