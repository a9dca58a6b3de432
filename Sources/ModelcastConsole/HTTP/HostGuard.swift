import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// Refuses requests that a page of another site has made, and tells what is wrong with a request in one form.
///
/// A browser sends any page's requests to any address. It says in `Origin` for which site, and a site whose name was
/// made to point to this machine stands in `Host`. An address cannot be made to point elsewhere, so those pass.
struct HostGuard<Context: RequestContext>: RouterMiddleware {
    private let names: Set<String>
    private let origins: Set<String>
    private let isWritable: Bool

    /// - Parameter isWritable: there are requests that write.
    init(_ configuration: ConsoleConfiguration, isWritable: Bool) {
        self.isWritable = isWritable
        origins = Set(configuration.origins.map { $0.lowercased() })
        names = Set((["localhost", configuration.host] + configuration.hostNames).map { $0.lowercased() })
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let authority = request.head.authority, let host = Authority(authority) else {
            return Problem(.badRequest, "the request names no host: send Host with the name and port it is for")
                .response
        }
        guard host.isAddress || names.contains(host.name) else {
            return Problem(
                .forbidden,
                "this console does not go by the name \(Authority.shown(host.name)): use its address, or start it with "
                    + "--http-name NAME"
            ).response
        }
        guard !HostGuard.isForeign(request) else {
            return Problem(.forbidden, "pages of other sites may not ask this console: open its own page").response
        }
        guard let origin = request.headers[.origin], origin.lowercased() != "http://\(authority.lowercased())" else {
            return try await answer(request, context, next)
        }
        guard origins.contains(origin.lowercased()) else {
            return Problem(
                .forbidden, "pages of other sites may not ask this console, unless it is started with --http-origin"
            ).response
        }
        var response =
            request.method == .options
            ? Response(status: .noContent, headers: HostGuard.preflight) : try await answer(request, context, next)
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = "ETag, Modelcast-Token, Retry-After, Accept-Patch"
        return response
    }

    /// A page of another site has made a browser send it without `Origin`, as for a picture. Its answer is not shown to
    /// that page, but costs work. A person who follows a link may see the answer.
    private static func isForeign(_ request: Request) -> Bool {
        guard request.headers[.origin] == nil, let site = request.headers[fetchSite]?.lowercased() else { return false }
        let isFollowed = [.get, .head].contains(request.method) && request.headers[fetchDestination] == "document"
        return ["cross-site", "same-site"].contains(site) && !isFollowed
    }

    // Names of the Fetch standard, which are tokens of HTTP.
    private static var fetchSite: HTTPField.Name { HTTPField.Name("Sec-Fetch-Site")! }
    private static var fetchDestination: HTTPField.Name { HTTPField.Name("Sec-Fetch-Dest")! }

    /// The header fields that a browser asks for before a page of an allowed site writes.
    private static var preflight: HTTPFields {
        [
            .accessControlAllowMethods: "GET, HEAD, PATCH, PUT, DELETE, POST",
            .accessControlAllowHeaders:
                "Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, Modelcast-After",
            .accessControlMaxAge: "600",
        ]
    }

    private func answer(
        _ request: Request, _ context: Context, _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let allowed = methods(of: request.uri.path), !allowed.contains(request.method) {
            let list = allowed.map(\.rawValue).joined(separator: ", ")
            let advice =
                isWritable ? "this takes \(list)" : "here models can only be read: use GET, or a gateway with --push"
            return Problem(.methodNotAllowed, advice, headers: [.allow: list]).response
        }
        do {
            var response = try await next(request, context)
            response.headers[.xContentTypeOptions] = "nosniff"
            return response
        } catch let error as HTTPError {
            return Problem(error.status, error.body ?? HostGuard.advice(error.status)).response
        }
    }

    /// The methods that a path takes; nil for one that is not there.
    private func methods(of path: String) -> [HTTPRequest.Method]? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        switch (parts.count, parts.first, parts.dropFirst().first) {
        case (1, _, _), (3, "v1", "models"), (4, "v1", "cells"): return [.get, .head]
        case (2, "v1", "types"), (2, "v1", "changes"), (2, "v1", "status"), (2, "v1", "history"),
            (2, "v1", "comparison"):
            return [.get, .head]
        case (2, "v1", "batch"): return isWritable ? [.post] : []
        case (4, "v1", "models"): return isWritable ? [.get, .head, .patch, .put, .delete] : [.get, .head]
        default: return nil
        }
    }

    private static func advice(_ status: HTTPResponse.Status) -> String {
        switch status {
        case .notFound: "there is nothing here: /livez, /readyz and /metrics are, and / and /v1 where models are served"
        default: "the request cannot be served"
        }
    }
}

/// The host that a request is for, without its port.
struct Authority {
    /// In lower case, without brackets.
    let name: String
    /// The host is an IP address, and no name.
    let isAddress: Bool

    /// - Returns: nil for what is no host with or without a port.
    init?(_ text: String) {
        let text = text.lowercased()
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            name = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            guard name.contains(":"), rest.isEmpty || Authority.isPort(rest) else { return nil }
            isAddress = name.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
            if !isAddress { return nil }
            return
        }
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        name = String(text[..<colon])
        guard !name.isEmpty, colon == text.endIndex || Authority.isPort(text[colon...]) else { return nil }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        isAddress = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func isPort(_ text: Substring) -> Bool { text.first == ":" && UInt16(text.dropFirst()) != nil }

    /// A name of a stranger, as an answer shows it.
    static func shown(_ name: String) -> String {
        String(name.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) ? $0 : "?" })
    }
}
