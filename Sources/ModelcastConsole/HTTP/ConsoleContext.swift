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

    /// A part of the path, without its percent-encoding.
    func part(_ name: String) throws(Problem) -> String {
        guard let raw = parameters.get(name), let part = raw.removingPercentEncoding, !part.isEmpty else {
            throw Problem(.badRequest, "the \(name) in the path is no percent-encoded UTF-8")
        }
        return part
    }
}
