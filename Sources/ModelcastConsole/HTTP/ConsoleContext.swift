import Foundation
import Hummingbird
import NIOCore

/// A request on its way, with its connection.
struct ConsoleContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Takes a client that has closed its side for gone, from now on: what lasts is not done for nobody.
    /// - Returns: whether the connection still stands, at each time that it is asked.
    func noticesEnd() -> @Sendable () -> Bool {
        channel.setOption(.allowRemoteHalfClosure, value: false).whenFailure { _ in }
        return { [channel] in channel.isActive }
    }

    /// A part of the path, without its percent-encoding.
    func part(_ name: String) throws(Problem) -> String {
        guard let raw = parameters.get(name), let part = PercentEncoding.decode(raw), !part.isEmpty else {
            throw Problem(.badRequest, "the \(name) in the path is no percent-encoded UTF-8")
        }
        return part
    }
}
