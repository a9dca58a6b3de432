import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import ModelRecord
import Modelcast
import NIOCore

/// An answer to a request that cannot be served: what is wrong, and what to do (RFC 9457).
struct Problem: Error {
    let status: HTTPResponse.Status
    let detail: String
    let headers: HTTPFields

    init(_ status: HTTPResponse.Status, _ detail: String, headers: HTTPFields = [:]) {
        (self.status, self.detail, self.headers) = (status, detail, headers)
    }

    /// Makes the problem of a write, or of the wait for one, that has failed.
    init(_ error: any Error) {
        let code = (error as? ModelcastError)?.code
        switch code {
        case .badInput, .model: self.init(.unprocessableContent, "\(error)")
        case .constant, .conflict: self.init(.conflict, "\(error)")
        case .configuration: self.init(.badRequest, "\(error)")
        case .outboxFull:
            self.init(
                .serviceUnavailable, "too much waits to be pushed: try again, and look whether the relay is there",
                headers: [.retryAfter: "1"])
        default: self.init(.serviceUnavailable, "\(error)", headers: [.retryAfter: "1"])
        }
    }

    private struct Document: Encodable {
        let title: String
        let status: Int
        let detail: String
    }

    var response: Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Two texts and a number are always JSON.
        let document = Document(title: status.reasonPhrase, status: status.code, detail: detail)
        let body = (try? encoder.encode(document)) ?? Data()
        var headers = headers
        headers[.contentType] = "application/problem+json"
        headers[.cacheControl] = "no-store"
        return Response(
            status: HTTPResponse.Status(code: status.code), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// A text of a stranger, as an answer shows it.
    static func quoted(_ text: String) -> String { "\"\(text.shown(byteCountMax: 80))\"" }
}
