import HTTPTypes
import Hummingbird
import HummingbirdCore
import ModelCache
import ModelGrants
import ModelJSON
import ModelRecord
import Modelcast
import NIOCore

/// Answers the requests for models and changes.
struct ModelRequests: Sendable {
    let gateway: GatewayState
    /// The copy may be relied on at this moment.
    let isReady: @Sendable () -> Bool

    /// How many models a page has where nothing is said, and at most.
    private static let (pageCount, pageCountMax) = (100, 1000)
    /// How many names a request may give: of types, ids, fields and conditions.
    private static let nameCountMax = 256

    func addRoutes(to router: Router<ConsoleContext>) {
        add("v1/types", router) { request, _, asker throws(Problem) in try types(request, asker) }
        add("v1/models/{type}", router) { request, context, asker throws(Problem) in
            try await page(request, context, asker)
        }
        add("v1/models/{type}/{id}", router) { request, context, asker throws(Problem) in
            try await model(request, context, asker)
        }
        router.get("openapi.json") { _, _ in ModelRequests.json(Array(OpenAPIDocument.text.utf8)) }
        add("v1/changes", router) { request, context, asker throws(Problem) in try changes(request, context, asker) }
    }

    /// Answers a request that reads, once the copy has what its asker has written.
    func add(
        _ path: RouterPath, _ router: Router<ConsoleContext>,
        _ answer: @escaping @Sendable (Request, ConsoleContext, Asker) async throws(Problem) -> Response
    ) {
        router.get(path) { request, context in
            do throws(Problem) {
                let asker = try asker(of: request)
                try await waitForWrites(request, asker)
                return try await answer(request, context, asker)
            } catch {
                return error.response
            }
        }
    }

    /// The maker of a request, where there is a copy to answer from.
    func asker(of request: Request) throws(Problem) -> Asker {
        let asker = try Asker(request, tokens: gateway.configuration.tokens)
        try requireModels()
        return asker
    }

    /// Waits until the copy has the writes that the request wants to read.
    func waitForWrites(_ request: Request, _ asker: Asker) async throws(Problem) {
        let texts = request.headers[values: ModelRequests.after]
        guard !texts.isEmpty else { return }
        var tokens: [WriteToken] = []
        for text in texts.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            guard let token = WriteToken(String(text).replacing(" ", with: "")) else {
                throw Problem(.badRequest, "Modelcast-After is what an answer to a write has as Modelcast-Token")
            }
            guard asker.mayRead(token) else {
                throw Problem(.forbidden, "Modelcast-After names types that this token may not read")
            }
            tokens.append(token)
        }
        let isDone: Void? = try await gateway.waiting.occupy { () throws(Problem) in try await wait(for: tokens) }
        guard isDone != nil else { throw ModelRequests.tooManyWait }
        try asker.requireUnchanged(gateway.configuration.tokens)
    }

    /// Waits for several writes, all of them together for as long as a request waits.
    private func wait(for tokens: [WriteToken]) async throws(Problem) {
        let end = ContinuousClock.now + ModelRequests.writePatience
        do {
            for token in tokens {
                let left = max(.zero, end - ContinuousClock.now)
                try await gateway.configuration.subject.waitUntilApplied(token, timeout: left)
            }
        } catch {
            throw Problem(error)
        }
    }

    static var tooManyWait: Problem {
        Problem(.serviceUnavailable, "too many requests wait already: try again", headers: again(after: 1))
    }

    /// How long a request waits for a write that it wants to read.
    private static let writePatience: Duration = .seconds(5)

    /// Refuses to answer before the copy has been complete once.
    private func requireModels() throws(Problem) {
        guard !gateway.hasBeenReady else { return }
        gateway.note(isReady: isReady())
        guard !gateway.hasBeenReady else { return }
        throw Problem(
            .serviceUnavailable,
            "the models are not here yet: try again in a second; /readyz?verbose says what is missing",
            headers: ModelRequests.again(after: 1))
    }

    static func again(after seconds: Int) -> HTTPFields { [.retryAfter: "\(seconds)"] }

    // MARK: Types and models

    private func types(_ request: Request, _ asker: Asker) throws(Problem) -> Response {
        _ = try RequestQuery(request.uri.query, names: [])
        let snapshot = gateway.cache.snapshot()
        var writer = JSONWriter()
        writer.append(#"{"types":"#)
        let types = snapshot.types.filter { asker.mayRead($0) && snapshot.count(of: $0) > 0 }.sorted()
        writer.write(types) { writer, type in
            writer.append(#"{"type":"#)
            writer.write(type)
            writer.append(",\"count\":\(snapshot.count(of: type)),\"bytes\":\(snapshot.estimatedByteCount(of: type))}")
        }
        writer.append("}\n")
        return ModelRequests.json(writer.bytes)
    }

    private func page(
        _ request: Request, _ context: ConsoleContext, _ asker: Asker
    ) async throws(Problem) -> Response {
        let type = try context.part("type")
        let parameters = try RequestQuery(
            request.uri.query, names: ModelQuery.parameters.union(["after", "prefix", "limit"]))
        var query = try self.query(parameters, asker)
        query.prefix = try parameters.value("prefix")
        var limit = ModelRequests.pageCount
        if let text = try parameters.value("limit") {
            guard let number = Int(text), (1...ModelRequests.pageCountMax).contains(number) else {
                throw Problem(.badRequest, "limit is a number from 1 to \(ModelRequests.pageCountMax)")
            }
            limit = number
        }
        guard asker.mayRead(type), gateway.cache.types.contains(type) else { throw ModelRequests.unknown(type) }
        let after = try parameters.value("after")
        // Without a condition a page ends where it is full.
        guard query.prefix != nil || !query.conditions.isEmpty else {
            return try page(of: type, after, limit, query) { true }
        }
        let (asked, count) = (query, limit)
        return try await gateway.scans.answer(while: context.noticesEnd()) { isWanted throws(Problem) in
            try page(of: type, after, count, asked, isWanted)
        }
    }

    private func page(
        of type: String, _ after: String?, _ limit: Int, _ query: ModelQuery, _ isWanted: ScanQueue.IsWanted
    ) throws(Problem) -> Response {
        let page = ModelPage(
            of: gateway.cache.snapshot(), type: type, after: after, limit: limit, query, isWanted: isWanted)
        guard let page else { throw ScanQueue.gone }
        var writer = JSONWriter(query.form)
        writer.append(#"{"models":"#)
        writer.write(page.records) { $0.write(type: type, model: $1, version: $1.lastVersion) }
        writer.append(#","next":"#)
        if let next = page.next { writer.write(next) } else { writer.append("null") }
        writer.append("}\n")
        return ModelRequests.json(writer.bytes)
    }

    private func model(
        _ request: Request, _ context: ConsoleContext, _ asker: Asker
    ) async throws(Problem) -> Response {
        let (type, id) = (try context.part("type"), try context.part("id"))
        let parameters = try RequestQuery(
            request.uri.query, names: ModelQuery.parameters.subtracting(["where"]).union(["fetch"]))
        let query = try self.query(parameters, asker)
        let bringsBack = try parameters.word("fetch", of: ["false", "true"]) == "true"
        guard asker.mayRead(type) else { throw ModelRequests.unknown(type, id) }
        guard let record = try await present(type, id, bringsBack: bringsBack), record.isPresent else {
            throw ModelRequests.unknown(type, id)
        }
        if bringsBack { try asker.requireUnchanged(gateway.configuration.tokens) }
        let tag = record.entityTag
        if ModelRequests.matches(request.headers[values: .ifNoneMatch], tag) {
            return Response(status: .notModified, headers: [.eTag: tag, .cacheControl: "no-cache"])
        }
        var writer = JSONWriter(query.form)
        writer.writeLine(type: type, model: record, version: record.lastVersion)
        var response = ModelRequests.json(writer.bytes)
        response.headers[.eTag] = tag
        return response
    }

    /// The model, if need be brought back into a copy that does not hold all.
    private func present(_ type: String, _ id: String, bringsBack: Bool) async throws(Problem) -> CellRecord? {
        if let record = gateway.cache[type, id] { return record }
        do { try Names.check(id: id) } catch { return nil }
        guard gateway.cache.presence(of: type, id) == .evicted else { return nil }
        guard bringsBack else {
            throw Problem(
                .notFound,
                "\(Problem.quoted(type)) \(Problem.quoted(id)) is not in this copy, which does not hold all: ask with "
                    + "fetch=true, or ask a copy that does")
        }
        let record: CellRecord?? = try await gateway.waiting.occupy { () throws(Problem) in
            do {
                return try await gateway.configuration.subject.fetch(type, id, timeout: ModelRequests.writePatience)
            } catch {
                throw Problem(error)
            }
        }
        guard let record else { throw ModelRequests.tooManyWait }
        return record
    }

    // MARK: Changes

    private func changes(_ request: Request, _ context: ConsoleContext, _ asker: Asker) throws(Problem) -> Response {
        let parameters = try RequestQuery(
            request.uri.query, names: ModelQuery.parameters.union(["type", "id", "lastEventID", "state"]))
        let tellsState = try parameters.word("state", of: ["full", "none"]) == "full"
        var query = try self.query(parameters, asker)
        query.types = try ModelRequests.names(parameters, "type", check: Names.check(type:)).map { Set($0) }
        query.ids = try ModelRequests.ids(parameters)
        let lastEventID: String?
        if let header = request.headers[ModelRequests.lastEventID] {
            lastEventID = header
        } else {
            lastEventID = try parameters.value("lastEventID")
        }
        let tokens = gateway.configuration.tokens
        let admission = gateway.feeds.admit { asker.isStillAllowed(tokens) }
        guard let admission else {
            throw Problem(
                .serviceUnavailable,
                "there are \(gateway.configuration.streamCountMax) streams already: come again later, and ask for "
                    + "several types in one", headers: ModelRequests.again(after: 5))
        }
        let feed = ChangeFeed(
            gateway: gateway, query: query, epoch: gateway.epoch(of: query), lastEventID: lastEventID,
            tellsState: tellsState, admission: admission, isConnected: context.noticesEnd())
        return Response(
            status: .ok,
            // No proxy is to gather events, or to keep them.
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-store", ModelRequests.buffering: "no",
            ],
            body: ResponseBody { writer in try await feed.run(&writer) })
    }

    // Constants of names that are tokens of HTTP.
    private static let lastEventID = HTTPField.Name("Last-Event-ID")!
    private static let buffering = HTTPField.Name("X-Accel-Buffering")!
    private static let after = HTTPField.Name("Modelcast-After")!

    // MARK: What they share

    func query(_ parameters: RequestQuery, _ asker: Asker) throws(Problem) -> ModelQuery {
        let query = try ModelQuery(parameters, readable: asker.readable)
        guard query.conditions.count + (query.form.fields?.count ?? 0) <= ModelRequests.nameCountMax else {
            throw ModelRequests.tooMany("fields and conditions")
        }
        return query
    }

    static func names(
        _ parameters: RequestQuery, _ name: String, check: (String) throws(NameError) -> Void
    ) throws(Problem) -> [String]? {
        guard let all = parameters.all(name) else { return nil }
        guard all.count <= nameCountMax else { throw tooMany("\(name)s") }
        for one in all {
            do throws(NameError) { try check(one) } catch { throw Problem(.badRequest, "\(error)") }
        }
        return all
    }

    /// The ids that a request names; nil where it names none.
    static func ids(_ parameters: RequestQuery) throws(Problem) -> Set<ExactText>? {
        try names(parameters, "id", check: Names.check(id:)).map { Set($0.map(ExactText.init)) }
    }

    private static func tooMany(_ names: String) -> Problem {
        Problem(.badRequest, "a request may have \(nameCountMax) \(names): make several, or ask for all")
    }

    static func unknown(_ type: String, _ id: String, _ place: String = "") -> Problem {
        Problem(.notFound, "\(place)there is no \(Problem.quoted(type)) \(Problem.quoted(id)) here")
    }

    static func unknown(_ type: String) -> Problem {
        Problem(.notFound, "there are no models of the type \(Problem.quoted(type)): /v1/types lists those that are")
    }

    static func json(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// One of the tags is that of the model, or any is meant.
    static func matches(_ headers: [String], _ tag: String) -> Bool {
        headers.contains { header in
            header.split(separator: ",").contains { part in
                let part = part.trimmingPrefix { $0 == " " }
                let text = part.hasPrefix("W/") ? part.dropFirst(2) : part
                return text == "*" || text.prefix { $0 != " " } == tag
            }
        }
    }
}

extension CellRecord {
    /// The revision, as a header names it.
    var entityTag: String { "\"\(revision)\"" }
}
