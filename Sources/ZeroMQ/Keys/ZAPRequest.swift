/// One request of ZAP 1.0, and its answer. Pure: frames go in, frames come out, and any frames are acceptable.
package struct ZAPRequest {
    /// Repeated in the answer.
    let id: [UInt8]
    let domain: [UInt8]
    /// The client's key; nil where the client has none.
    let key: Curve.PublicKey?

    /// Version, request id, domain, address, identity, mechanism and, with CURVE, the client's key.
    static let frameCountMax = 7
    private static let version = Array("1.0".utf8)
    private static let curve = Array("CURVE".utf8)
    private static let null = Array("NULL".utf8)
    /// RFC 27 limits the domain and the identity to 255 bytes. The other frames are not longer either.
    private static let byteCountMax = 255

    init?(_ frames: [[UInt8]]) {
        guard frames.count >= 6, frames.allSatisfy({ $0.count <= ZAPRequest.byteCountMax }),
            frames[0] == ZAPRequest.version
        else { return nil }
        if frames.count == 6, frames[5] == ZAPRequest.null {
            key = nil
        } else if frames.count == 7, frames[5] == ZAPRequest.curve, let key = Curve.PublicKey(bytes: frames[6]) {
            self.key = key
        } else {
            return nil
        }
        (id, domain) = (frames[1], frames[2])
    }

    /// Decides, and makes the answer: status 200, or 400 for a client that is refused. The client is told the status
    /// and not the reason.
    /// - Parameter domains: the allowed keys by domain; nil in one where no keys are used.
    package static func decide(
        _ frames: [[UInt8]], allowed domains: [String: Set<Curve.PublicKey>?]
    ) -> (decision: ZAPDecision, reply: [[UInt8]]) {
        guard let request = ZAPRequest(frames), let domain = String(validating: request.domain, as: UTF8.self),
            let allowed = domains[domain], (request.key == nil) == (allowed == nil)
        else {
            let id = frames.count > 1 && frames[1].count <= byteCountMax ? frames[1] : []
            return (.malformed, reply(to: id, status: "400", user: ""))
        }
        guard let key = request.key, let allowed else {
            return (.allowedWithoutKey, reply(to: request.id, status: "200", user: ""))
        }
        guard allowed.contains(key) else {
            return (.refused(key), reply(to: request.id, status: "400", user: ""))
        }
        return (.allowed(key), reply(to: request.id, status: "200", user: key.z85))
    }

    /// Version, request id, status code, status text, user id, metadata.
    private static func reply(to id: [UInt8], status: String, user: String) -> [[UInt8]] {
        [version, id, Array(status.utf8), [], Array(user.utf8), []]
    }
}
