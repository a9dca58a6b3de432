import Foundation
import ModelSigning
import ZeroMQ

/// A secret text that a request over HTTP has to show in the header `Authorization: Bearer TOKEN`.
///
/// A file of grants has its ``key``, from which nobody can make the token:
///
/// ```text
/// grant s1]%50:hd6K0^j&M@]HS:8M&h*O1v*Y7oq?aY5nt  dashboard  subscribe:User subscribe:Order.*
/// ```
public struct BearerToken: Hashable, Sendable {
    /// The secret text.
    public let text: String

    /// A token that somebody has shown.
    public init(_ text: String) { self.text = text }

    /// A new token: `mct_` and 256 random bits in the letters of base64url.
    public static func random() -> BearerToken {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let text = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        return BearerToken("mct_" + text.replacing("=", with: ""))
    }

    /// The word for the token in grants: the SHA-256 of its text, as 40 characters of Z85.
    public var key: String { Curve.encodeZ85(TokenHash.hash(text)) ?? "" }
}
