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

    init(_ configuration: ConsoleConfiguration) {
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
        if let origin = request.headers[.origin], origin.lowercased() != "http://\(authority.lowercased())" {
            return Problem(.forbidden, "pages of other sites may not ask this console").response
        }
        guard request.method == .get || request.method == .head else {
            return Problem(.methodNotAllowed, "all of this can only be read: use GET").response
        }
        do {
            return try await next(request, context)
        } catch let error as HTTPError {
            return Problem(error.status, error.body ?? HostGuard.advice(error.status)).response
        }
    }

    private static func advice(_ status: HTTPResponse.Status) -> String {
        switch status {
        case .notFound: "there is nothing here: /livez, /readyz and /metrics are, and /v1 where models are served"
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
