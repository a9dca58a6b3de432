import ArgumentParser
import Modelcast

/// The ports of the streams for keys that may read some types only; the same for all subcommands that have a stream.
struct StreamPortsOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The ports, beside that of --stream, for keys that --grants lets read some types only: one for each set of "
                + "types. Any free ports if it is not said.",
            valueName: "first-last"))
    var streamPorts: PortRange?

    /// Refuses ports where every key may read everything, and those that cannot be bound.
    func check(_ keys: ServingKeyOptions, serving served: SenderEndpoints?) throws {
        guard streamPorts == nil || keys.grants != nil else {
            throw ValidationError("--stream-ports is about keys that may read some types only: it needs --grants")
        }
        guard let ports = streamPorts?.ports, let served else { return }
        for endpoint in [served.control, served.stream] {
            guard endpoint.hasPrefix("tcp://") else {
                throw ValidationError("--stream-ports is about TCP, and \(endpoint) has no port: leave it out")
            }
            let port = endpoint.split(separator: ":").last.flatMap { UInt16($0) }
            if let port, ports.contains(port) {
                throw ValidationError(
                    "--stream-ports must not name port \(port), which this process has for \(endpoint)")
            }
        }
    }
}

/// A range of TCP ports, as `7410-7419` or `7410`.
struct PortRange: ExpressibleByArgument, Sendable, CustomStringConvertible {
    let ports: ClosedRange<UInt16>

    init?(argument: String) {
        let ends = argument.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard argument.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 }), let first = UInt16(ends[0]),
            let last = UInt16(ends.last ?? ends[0]), first > 0, first <= last
        else {
            return nil
        }
        ports = first...last
    }

    var description: String { "\(ports.lowerBound)-\(ports.upperBound)" }
}
