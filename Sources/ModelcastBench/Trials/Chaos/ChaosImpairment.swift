/// A way to make the network bad between one network namespace and all others.
struct ChaosImpairment: Sendable {
    /// One call of a tool.
    struct Call: Sendable {
        let tool: NetworkTool
        let words: [String]

        init(_ tool: NetworkTool, _ text: String) {
            self.tool = tool
            words = text.split(separator: " ").map(String.init)
        }

        func run() throws { try tool.run(words) }
    }

    /// The effect of the impairment, in words for a person.
    let text: String
    /// The calls that begin it, from the link on this side and the namespace, whose link is `eth0`.
    let start: @Sendable (_ link: String, _ namespace: String) -> [Call]
    /// The calls that end it.
    let end: @Sendable (_ link: String, _ namespace: String) -> [Call]

    /// The ways to inject a fault of the network, the best first, as not every kernel has every queue discipline.
    static func choices(for fault: ChaosFault) -> [ChaosImpairment] {
        switch fault {
        case .loss: [.netem("loss 15%"), .filter]
        case .delay: [.netem("delay 200ms 100ms"), .narrow]
        case .partition: [.down]
        case .kill, .stop, .restart: []
        }
    }

    /// The kernel's network emulator, in both directions.
    private static func netem(_ what: String) -> ChaosImpairment {
        ChaosImpairment(text: "netem \(what)") { link, namespace in
            [
                Call(.tc, "qdisc add dev \(link) root netem \(what)"),
                Call(.tc, "-n \(namespace) qdisc add dev eth0 root netem \(what)"),
            ]
        } end: { link, namespace in
            [Call(.tc, "qdisc del dev \(link) root"), Call(.tc, "-n \(namespace) qdisc del dev eth0 root")]
        }
    }

    /// A classic BPF program that drops packets by a random number, in both directions.
    private static let filter = ChaosImpairment(text: "BPF filter, loss 15%") { link, _ in
        // A = random; if A > 85 % of 2^32 return TC_ACT_SHOT (2), else TC_ACT_OK (0).
        let program = ["4", "32 0 0 4294963256", "37 0 1 3650722201", "6 0 0 2", "6 0 0 0"].joined(separator: ",")
        let calls = ["ingress", "egress"].map { direction in
            Call(.tc, words: ["filter", "add", "dev", link, direction, "bpf", "da", "bytecode", program])
        }
        return [Call(.tc, "qdisc add dev \(link) clsact")] + calls
    } end: { link, _ in
        [Call(.tc, "qdisc del dev \(link) clsact")]
    }

    /// A link so narrow that packets queue, and some do not fit into the queue.
    private static let narrow = ChaosImpairment(text: "1 Mbit/s with a queue of 400 ms") { link, namespace in
        [
            Call(.tc, "qdisc add dev \(link) root tbf rate 1mbit burst 32kb latency 400ms"),
            Call(.tc, "-n \(namespace) qdisc add dev eth0 root tbf rate 1mbit burst 32kb latency 400ms"),
        ]
    } end: { link, namespace in
        [Call(.tc, "qdisc del dev \(link) root"), Call(.tc, "-n \(namespace) qdisc del dev eth0 root")]
    }

    private static let down = ChaosImpairment(text: "link down") { link, _ in
        [Call(.ip, "link set \(link) down")]
    } end: { link, _ in
        [Call(.ip, "link set \(link) up")]
    }
}

extension ChaosImpairment.Call {
    fileprivate init(_ tool: NetworkTool, words: [String]) {
        self.tool = tool
        self.words = words
    }
}
