public import Modelcast

/// Where a ``Console`` can be reached, by whom, and when it says that a copy is stale.
public struct ConsoleConfiguration: Sendable {
    /// The host to bind: a name or an address.
    public var host: String
    /// The port to bind; 0 for one that the system chooses (``Console/boundPort``).
    public var port: Int
    /// For how long a sender, or a stream, may not be live before the process is not ready any more. 15 seconds by
    /// default.
    public var staleAfter: Duration = .seconds(15)
    /// The names in `Host` that requests may have beside `localhost`, ``host`` and addresses.
    ///
    /// A page of another site can let its own name point to this machine and then read answers; its name is in `Host`.
    public var hostNames: [String] = []
    /// The sites whose pages may ask, as they stand in `Origin`: `https://app.example.com`. Pages that come from the
    /// console itself may always; behind a proxy they come from the site of the proxy, and say so where they write.
    public var origins: [String] = []
    /// How many connections may be open. Where one more comes, the one that has waited longest for a request is closed.
    /// 320 by default. With a gateway it has to be 100 more than ``ModelGateway/streamCountMax``, so that requests
    /// that wait, probes and scrapes have room beside the streams.
    public var connectionCountMax = 320
    /// How many bytes of answers may wait for clients that have not taken them yet, of all connections together. Where
    /// it is more, the one that has taken nothing for longest is closed. 64 MiB by default.
    public var answerByteCountMax = 64 << 20
    /// For how long a client may take nothing of an answer that waits for it, before its connection is closed. 30
    /// seconds by default.
    public var readerPatience: Duration = .seconds(30)
    /// For how long a connection may say nothing. 30 seconds by default.
    var silencePatience: Duration = .seconds(30)

    /// Only processes of this machine can reach it.
    package var isLoopback: Bool { host == "localhost" || host.hasPrefix("127.") || host == "::1" }

    /// A console at an address: `127.0.0.1:9464`, `[::1]:9464` or `localhost:9464`.
    /// - Throws: ``ModelcastError`` with code `configuration` for what is no such text.
    public init(_ address: String) throws(ModelcastError) {
        guard !address.contains("/") else {
            throw ModelcastError(
                .configuration, "\"\(address)\" is a URL or a path: give HOST:PORT alone, for example 127.0.0.1:9464")
        }
        let advice = "give HOST:PORT, for example 127.0.0.1:9464, or [::1]:9464"
        guard let colon = address.lastIndex(of: ":"), let port = UInt16(address[address.index(after: colon)...]) else {
            throw ModelcastError(.configuration, "\"\(address)\" is no address of a console: \(advice)")
        }
        var host = String(address[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw ModelcastError(
                .configuration, "\"\(address)\" needs brackets around the IPv6 address: \(advice)")
        }
        guard !host.isEmpty, host != "*" else {
            throw ModelcastError(
                .configuration,
                "\"\(address)\" names no host: \(advice). 0.0.0.0:\(port) is every interface"
            )
        }
        (self.host, self.port) = (host, Int(port))
    }
}
