import HTTPTypes
import Hummingbird
import HummingbirdCore
import ModelCache
import ModelRecord
import Modelcast
import NIOCore

/// Answers the requests of the inspector: its page, who has written what, and whether a copy is that of its senders.
struct InspectorRequests: Sendable {
    let requests: ModelRequests
    /// A comparison fetches what differs: one at a time.
    private let comparisons = PlaceCount(max: 1)

    /// How many changes a document has where nothing is said, and at most.
    private static let (changeCount, changeCountMax) = (100, 1000)

    private var gateway: GatewayState { requests.gateway }

    init(_ requests: ModelRequests) { self.requests = requests }

    func addRoutes(to router: Router<ConsoleContext>) {
        router.get("/") { _, _ in InspectorPage.response() }
        requests.add("v1/history", router) { request, context, asker throws(Problem) in
            try await history(request, context, asker)
        }
        requests.add("v1/cells/{type}/{id}", router) { request, context, asker throws(Problem) in
            try cells(request, context, asker)
        }
        router.get("v1/comparison") { request, _ in
            do throws(Problem) { return try await comparison(request) } catch { return error.response }
        }
    }

    // MARK: What was written

    private func history(
        _ request: Request, _ context: ConsoleContext, _ asker: Asker
    ) async throws(Problem) -> Response {
        guard let history = gateway.keptHistory else {
            throw Problem(.notFound, "no changes are kept here: start the process with --history BYTES")
        }
        let parameters = try RequestQuery(
            request.uri.query, names: ["type", "id", "field", "origin", "before", "limit", "integers"])
        var query = try requests.query(parameters, asker)
        query.types = try ModelRequests.names(parameters, "type", check: Names.check(type:)).map { Set($0) }
        query.ids = try ModelRequests.ids(parameters)
        if let types = query.types {
            let known = Set(gateway.cache.types.filter(asker.mayRead))
            if let type = types.first(where: { !known.contains($0) }) { throw ModelRequests.unknown(type) }
        }
        var question = HistoryDocument.Question(query: query, limit: InspectorRequests.changeCount)
        question.field = try parameters.value("field")
        question.origin = try parameters.value("origin")
        question.before = try InspectorRequests.number(parameters, "before", .max)
        if let limit = try InspectorRequests.number(parameters, "limit", UInt64(InspectorRequests.changeCountMax)) {
            question.limit = Int(limit)
        }
        let (asked, tellsAmount) = (question, asker.mayOperate)
        return try await gateway.scans.answer(while: context.noticesEnd()) { isWanted throws(Problem) in
            let text = HistoryDocument.text(
                history.kept, asked, byteCountMax: history.byteCountMax, tellsAmount: tellsAmount, isWanted: isWanted)
            guard let text else { throw ScanQueue.gone }
            return ModelRequests.json(text)
        }
    }

    private func cells(
        _ request: Request, _ context: ConsoleContext, _ asker: Asker
    ) throws(Problem) -> Response {
        let (type, id) = (try context.part("type"), try context.part("id"))
        let query = try requests.query(RequestQuery(request.uri.query, names: ["fields", "integers"]), asker)
        guard asker.mayRead(type), let record = gateway.cache[type, id], record.isPresent else {
            throw ModelRequests.unknown(type, id)
        }
        return ModelRequests.json(CellsDocument.text(type, record, query.form))
    }

    // MARK: Comparison

    /// The comparison with a sender. It asks that sender in the name of the process, so it is for operators.
    private func comparison(_ request: Request) async throws(Problem) -> Response {
        let asker = try Asker(request, tokens: gateway.configuration.tokens)
        guard asker.mayOperate else {
            throw Problem(.forbidden, "comparing is for operators: use a token with the right operate")
        }
        let parameters = try RequestQuery(request.uri.query, names: ["sender", "integers"])
        let query = try requests.query(parameters, asker)
        let subject = gateway.configuration.subject
        guard subject.senderCount > 0 else {
            throw Problem(
                .notFound, "\(subject.name) listens to nobody to be compared with: ask a subscriber or a relay")
        }
        let sender = try InspectorRequests.number(parameters, "sender", UInt64(subject.senderCount)) ?? 1
        guard sender > 0 else { throw Problem(.badRequest, "sender is a number from 1 to \(subject.senderCount)") }
        let begin = ContinuousClock.now
        let found = try await comparisons.occupy { () throws(Problem) in
            do {
                return try await subject.verify(againstSenderAt: Int(sender) - 1)
            } catch {
                throw Problem(error)
            }
        }
        guard let found else {
            throw Problem(
                .serviceUnavailable, "another comparison is under way: try again",
                headers: ModelRequests.again(after: 2))
        }
        let senders = subject.state.listening?.senders ?? []
        let name = senders.first { $0.sender.index == Int(sender) - 1 }?.name ?? ""
        return ModelRequests.json(
            ComparisonDocument.text(name, found, query.form, took: begin.duration(to: .now)))
    }

    /// A number in a parameter; nil where it is not given.
    private static func number(
        _ parameters: RequestQuery, _ name: String, _ limit: UInt64
    ) throws(Problem) -> UInt64? {
        guard let text = try parameters.value(name) else { return nil }
        guard let number = UInt64(text), (1...limit).contains(number) else {
            throw Problem(
                .badRequest, "\(name) is a number from 1" + (limit == .max ? " on" : " to \(limit)"))
        }
        return number
    }
}
