/// What became of a client that wanted to come in.
public enum ZAPDecision: Hashable, Sendable {
    case allowed(Curve.PublicKey)
    /// Its key is not among those that are allowed.
    case refused(Curve.PublicKey)
    /// The question was none about a CURVE client of the handler's domain; nobody came in.
    case malformed
}

/// One question of ZAP 1.0, and its answer. Pure: frames in, frames out; any frames are acceptable.
package struct ZAPRequest {
    /// Echoed in the answer.
    let id: [UInt8]
    let domain: [UInt8]
    let key: Curve.PublicKey

    /// Version, request id, domain, address, identity, mechanism and the client's key.
    static let frameCountMax = 7
    private static let version = Array("1.0".utf8)
    private static let mechanism = Array("CURVE".utf8)
    /// RFC 27: the domain and the identity have at most 255 bytes, as all others have.
    private static let byteCountMax = 255

    init?(_ frames: [[UInt8]]) {
        guard frames.count == ZAPRequest.frameCountMax, frames.allSatisfy({ $0.count <= ZAPRequest.byteCountMax }),
            frames[0] == ZAPRequest.version, frames[5] == ZAPRequest.mechanism,
            let key = Curve.PublicKey(bytes: frames[6])
        else { return nil }
        (id, domain, self.key) = (frames[1], frames[2], key)
    }

    /// Decides, and writes the answer: status 200, or 400 for a client that stays outside. The client is told the
    /// status only, and nothing of why.
    package static func decide(
        _ frames: [[UInt8]], allowed: Set<Curve.PublicKey>, domain: String
    ) -> (decision: ZAPDecision, reply: [[UInt8]]) {
        guard let request = ZAPRequest(frames), request.domain == Array(domain.utf8) else {
            let id = frames.count > 1 && frames[1].count <= byteCountMax ? frames[1] : []
            return (.malformed, reply(to: id, status: "400", user: ""))
        }
        guard allowed.contains(request.key) else {
            return (.refused(request.key), reply(to: request.id, status: "400", user: ""))
        }
        return (.allowed(request.key), reply(to: request.id, status: "200", user: request.key.z85))
    }

    /// Version, request id, status code, status text, user id, metadata.
    private static func reply(to id: [UInt8], status: String, user: String) -> [[UInt8]] {
        [version, id, Array(status.utf8), [], Array(user.utf8), []]
    }
}
