import Foundation

/// A network namespace for each process of a trial, joined by a bridge, so that the network of a process can be made
/// bad.
struct ChaosNetwork: Sendable {
    /// The attachment of one process to the network: its namespace, link and address.
    struct Attachment: Sendable {
        let namespace: String
        /// The end of the link on the bridge.
        let link: String
        let host: String
    }

    private let sweep: ChaosSweep
    /// The attachments by the names of the processes.
    let attachments: [String: Attachment]
    private var impairments: [ChaosFault: ChaosImpairment] = [:]
    /// Lines for a person: how each fault of the network is injected, and why others are skipped.
    private(set) var notes: [String] = []

    /// The faults that can be injected here.
    var faults: [ChaosFault] { ChaosFault.allCases.filter { impairments[$0] != nil } }

    /// Makes the namespaces and tries every fault once. Blocks.
    /// - Throws: ``BenchError`` with the reason when network namespaces cannot be used here; nothing is left over.
    init(names: [String], sweep: ChaosSweep) throws {
        self.sweep = sweep
        guard geteuid() == 0 else { throw BenchError("network namespaces need root") }
        for tool in [NetworkTool.ip, .tc] where tool.path == nil {
            throw BenchError("\(tool.rawValue) is not installed (package iproute2)")
        }
        // 198.18.0.0/15 is reserved for benchmarks (RFC 2544), so no other network uses it.
        let subnet = "198.18.\((Int(sweep.run) ?? 0) % 256)"
        var attachments: [String: Attachment] = [:]
        for (index, name) in names.enumerated() {
            attachments[name] = Attachment(
                namespace: "\(sweep.namespacePrefix)\(name)", link: "\(sweep.linkPrefix)\(index + 1)",
                host: "\(subnet).\(index + 1)")
        }
        self.attachments = attachments
        do {
            try ChaosNetwork.makeBridge(sweep.bridge, address: "\(subnet).254/24")
            for attachment in attachments.values { try ChaosNetwork.make(attachment, bridge: sweep.bridge) }
        } catch {
            sweep.remove()
            throw error
        }
        guard let trial = names.first.flatMap({ attachments[$0] }) else { return }
        for fault in ChaosFault.allCases where fault.isOfNetwork { choose(fault, at: trial) }
    }

    private static func makeBridge(_ bridge: String, address: String) throws {
        try NetworkTool.ip.run(["link", "add", bridge, "type", "bridge"])
        try NetworkTool.ip.run(["address", "add", address, "dev", bridge])
        try NetworkTool.ip.run(["link", "set", bridge, "up"])
    }

    private static func make(_ attachment: Attachment, bridge: String) throws {
        let (namespace, link) = (attachment.namespace, attachment.link)
        try NetworkTool.ip.run(["netns", "add", namespace])
        try NetworkTool.ip.run(
            ["link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace])
        try NetworkTool.ip.run(["link", "set", link, "master", bridge, "up"])
        try NetworkTool.ip.run(["-n", namespace, "address", "add", "\(attachment.host)/24", "dev", "eth0"])
        try NetworkTool.ip.run(["-n", namespace, "link", "set", "lo", "up"])
        try NetworkTool.ip.run(["-n", namespace, "link", "set", "eth0", "up"])
    }

    /// Chooses the first way to inject a fault that this kernel knows, by trying it at one process.
    private mutating func choose(_ fault: ChaosFault, at attachment: Attachment) {
        var refusals: [String] = []
        for choice in ChaosImpairment.choices(for: fault) {
            do {
                for call in choice.start(attachment.link, attachment.namespace) { try call.run() }
                for call in choice.end(attachment.link, attachment.namespace) { try call.run() }
                impairments[fault] = choice
                notes.append("\(fault.rawValue) by \(choice.text)")
                return
            } catch {
                for call in choice.end(attachment.link, attachment.namespace) { try? call.run() }
                refusals.append("\(error)")
            }
        }
        notes.append("\(fault.rawValue) is skipped: \(refusals.joined(separator: "; "))")
    }

    /// Begins a fault of the network at one process. Blocks for some milliseconds.
    func start(_ fault: ChaosFault, at name: String) throws {
        guard let attachment = attachments[name], let impairment = impairments[fault] else { return }
        for call in impairment.start(attachment.link, attachment.namespace) { try call.run() }
    }

    /// Ends a fault of the network at one process. Blocks for some milliseconds.
    func end(_ fault: ChaosFault, at name: String) throws {
        guard let attachment = attachments[name], let impairment = impairments[fault] else { return }
        for call in impairment.end(attachment.link, attachment.namespace) { try call.run() }
    }
}
