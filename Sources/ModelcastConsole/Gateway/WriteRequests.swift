import HTTPTypes
import Hummingbird
import HummingbirdCore
import ModelCache
import ModelJSON
import ModelRecord
import Modelcast
import NIOCore

/// Answers the requests that write models.
struct WriteRequests: Sendable {
    let requests: ModelRequests
    let writer: Publisher

    private var gateway: GatewayState { requests.gateway }

    /// How many writes a batch has at most. The token that names them has to fit into a header.
    private static let writeCountMax = 64
    /// How many types the publisher of a gateway writes at most: nothing forgets them.
    private static let typeCountMax = 1024
    /// How often a write is tried while others change the model in between.
    private static let triesMax = 64

    func addRoutes(to router: Router<ConsoleContext>) {
        let path: RouterPath = "v1/models/{type}/{id}"
        for method in [HTTPRequest.Method.patch, .put, .delete] {
            router.on(path, method: method) { request, context in
                await answer(request) { asker throws(Problem) in try await model(request, context, asker) }
            }
        }
        router.post("v1/batch") { request, _ in
            await answer(request) { asker throws(Problem) in try await batch(request, asker) }
        }
    }

    private func answer(
        _ request: Request, _ body: (Asker) async throws(Problem) -> Response
    ) async -> Response {
        do throws(Problem) {
            let asker = try requests.asker(of: request)
            if let failure = writer.pushProgress?.failure {
                throw Problem(
                    .serviceUnavailable, "nothing can be written, as it would reach no relay: \(failure)",
                    headers: ModelRequests.again(after: 5))
            }
            try await requests.waitForWrites(request, asker)
            return try await body(asker)
        } catch {
            return error.response
        }
    }

    // MARK: One model

    private func model(
        _ request: Request, _ context: ConsoleContext, _ asker: Asker
    ) async throws(Problem) -> Response {
        let (type, id) = (try context.part("type"), try context.part("id"))
        let query = try requests.query(
            RequestQuery(request.uri.query, names: ModelQuery.parameters.subtracting(["where"])), asker)
        try require(asker, type)
        let preconditions = try RequestPreconditions(request.headers)
        let kind = try kind(of: request)
        let members = kind == .delete ? [:] : try WriteRequests.object(try await body(of: request, asker))
        let writing = ModelWriting(
            type: type, id: id, kind: kind, members: members, preconditions: preconditions,
            hasLargeIntegersAsText: query.form.hasLargeIntegersAsText)
        let before = try await write([writing])[0]
        let token = writer.writeToken(of: [(type, id)])
        let after = writer.cache.record(type, id, over: gateway.cache.snapshot())
        guard kind != .delete, let after, after.isPresent else {
            return Response(status: .noContent, headers: [WriteRequests.token: token.description])
        }
        var json = JSONWriter(query.form)
        json.writeLine(type: type, model: after, version: after.lastVersion)
        var response = ModelRequests.json(json.bytes)
        response.status = before?.isPresent ?? false ? .ok : .created
        response.headers[.eTag] = after.entityTag
        response.headers[WriteRequests.token] = token.description
        return response
    }

    // MARK: Several models

    private func batch(_ request: Request, _ asker: Asker) async throws(Problem) -> Response {
        _ = try RequestQuery(request.uri.query, names: [])
        try requireJSON(request)
        guard request.headers[.ifMatch] == nil, request.headers[.ifNoneMatch] == nil else {
            throw Problem(.badRequest, "a batch has its conditions in its writes: ifMatch and ifNoneMatch")
        }
        let document = try WriteRequests.object(try await body(of: request, asker))
        guard document.count == 1, case .array(let items)? = document["writes"] else {
            throw Problem(.unprocessableContent, #"a batch is {"writes": [...]}"#)
        }
        guard !items.isEmpty else { throw Problem(.unprocessableContent, "a batch has at least one write") }
        guard items.count <= WriteRequests.writeCountMax else {
            throw Problem(
                .contentTooLarge,
                "a batch has at most \(WriteRequests.writeCountMax) writes, not \(items.count): make several")
        }
        var writings: [ModelWriting] = []
        for (index, item) in items.enumerated() { writings.append(try ModelWriting(item, number: index)) }
        for writing in writings { try require(asker, writing.type) }
        _ = try await write(writings)
        let token = writer.writeToken(of: writings.map { ($0.type, $0.id) })
        let snapshot = gateway.cache.snapshot()
        var json = JSONWriter()
        json.append(#"{"results":"#)
        json.write(writings) { json, writing in
            let record = writer.cache.record(writing.type, writing.id, over: snapshot)
            json.append(#"{"type":"#)
            json.write(writing.type)
            json.append(#","id":"#)
            json.write(writing.id)
            json.append(#","etag":"#)
            if let record, record.isPresent { json.write(record.entityTag) } else { json.append("null") }
            json.append("}")
        }
        json.append("}\n")
        var response = ModelRequests.json(json.bytes)
        response.headers[WriteRequests.token] = token.description
        return response
    }

    // MARK: What they share

    /// Makes the writes as one transaction. What they say depends on what the models are, so it is said anew where one
    /// has changed meanwhile.
    /// - Returns: the models as they were before.
    private func write(_ writings: [ModelWriting]) async throws(Problem) -> [CellRecord?] {
        try requireRoom(for: Set(writings.map(\.type)))
        for _ in 0..<WriteRequests.triesMax {
            let snapshot = gateway.cache.snapshot()
            let before = writings.map { writer.cache.record($0.type, $0.id, over: snapshot) }
            var fields: [Fields] = []
            for (writing, record) in zip(writings, before) {
                // The write that a precondition fails by may not be in the copy yet. The error tells its token, with
                // which a read waits for that write.
                fields.append(
                    try writing.fields(over: record) {
                        writer.writeToken(of: [(writing.type, writing.id)]).description
                    })
            }
            do {
                try writer.transaction(over: gateway.cache) { writes in
                    for (index, writing) in writings.enumerated() {
                        try writing.add(fields[index], over: before[index], to: &writes)
                    }
                }
                // A publisher with a store answers once the write is in the file, so that no crash undoes what was
                // answered.
                if writer.configuration.store != nil { try await writer.waitUntilDurable() }
                return before
            } catch let error as ModelcastError where error.code == .conflict {
                continue
            } catch {
                throw Problem(error)
            }
        }
        throw Problem(
            .serviceUnavailable, "others change the model all the time: try again",
            headers: ModelRequests.again(after: 1))
    }

    /// Refuses types beyond those that a publisher may begin.
    private func requireRoom(for types: Set<String>) throws(Problem) {
        let known = writer.cache.types
        guard known.count >= WriteRequests.typeCountMax, !types.isSubset(of: known) else { return }
        throw Problem(
            .unprocessableContent,
            "this gateway has written \(known.count) types, and begins no more: what varies belongs into the id")
    }

    private func require(_ asker: Asker, _ type: String) throws(Problem) {
        guard asker.mayWrite(type, as: writer.configuration.name) else {
            throw Problem(.forbidden, "this token may not write models of the type \(Problem.quoted(type))")
        }
    }

    private func kind(of request: Request) throws(Problem) -> ModelWriting.Kind {
        switch request.method {
        case .delete: return .delete
        case .patch: return try ModelWriting.Kind(patch: request.headers[.contentType])
        default:
            try requireJSON(request)
            return .replace
        }
    }

    private func requireJSON(_ request: Request) throws(Problem) {
        guard ModelWriting.mediaType(request.headers[.contentType]) == "application/json" else {
            throw Problem(.unsupportedMediaType, "send the header Content-Type: application/json")
        }
    }

    private func body(of request: Request, _ asker: Asker) async throws(Problem) -> [UInt8] {
        guard request.headers[.contentRange] == nil else {
            throw Problem(.badRequest, "a part of a model is no range: send PATCH with the fields that change")
        }
        guard ["", "identity"].contains(request.headers[.contentEncoding]?.lowercased() ?? "") else {
            throw Problem(.unsupportedMediaType, "send the body as it is, without Content-Encoding")
        }
        guard let bytes = try await gateway.waiting.occupy({ () throws(Problem) in try await body(of: request) }) else {
            throw ModelRequests.tooManyWait
        }
        try asker.requireUnchanged(gateway.configuration.tokens)
        return bytes
    }

    private func body(of request: Request) async throws(Problem) -> [UInt8] {
        let (limit, patience) = (writer.configuration.limits.frameByteCount, gateway.configuration.bodyPatience)
        let outcome = await withTaskGroup(of: Result<[UInt8], Problem>.self) { group in
            group.addTask {
                do {
                    let buffer = try await request.body.collect(upTo: limit)
                    return .success(Array(buffer.readableBytesView))
                } catch is NIOTooManyBytesError {
                    return .failure(Problem(.contentTooLarge, "a body may have \(limit) bytes: write less at once"))
                } catch {
                    return .failure(Problem(.badRequest, "the body has not come to its end"))
                }
            }
            group.addTask {
                try? await Task.sleep(for: patience)
                return .failure(Problem(.requestTimeout, "the body took more than \(patience) to come"))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(Problem(.badRequest, "there is no body"))
        }
        return try outcome.get()
    }

    private static func object(_ bytes: [UInt8]) throws(Problem) -> [String: Value] {
        do throws(JSONError) {
            return try JSONReader.object(bytes.span)
        } catch {
            throw Problem(.badRequest, "the body is no JSON object: \(error)")
        }
    }

    // Constants of names that are tokens of HTTP.
    static let token = HTTPField.Name("Modelcast-Token")!
    static let acceptPatch = HTTPField.Name("Accept-Patch")!
}
