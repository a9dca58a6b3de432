import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// An answer to a request that cannot be served: what is wrong, and what to do (RFC 9457).
struct Problem: Encodable {
    let title: String
    let status: Int
    let detail: String

    init(_ status: HTTPResponse.Status, _ detail: String) {
        (title, self.status, self.detail) = (status.reasonPhrase, status.code, detail)
    }

    var response: Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Three fields of text and a number are always JSON.
        let body = (try? encoder.encode(self)) ?? Data()
        return Response(
            status: HTTPResponse.Status(code: status),
            headers: [.contentType: "application/problem+json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
