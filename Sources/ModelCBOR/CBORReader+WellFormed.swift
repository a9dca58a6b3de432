extension CBORReader {
    /// Passes over one item of any depth and checks that it is well-formed (RFC 8949, appendix C) and its texts UTF-8.
    ///
    /// Meant for items that are thrown away: duplicate keys are not looked for.
    /// - Complexity: O(*bytes*), without recursion; memory for open containers is bounded by the input.
    @_lifetime(self: copy self)
    public mutating func skipWellFormed() throws(CBORError) {
        var open: [OpenContainer] = []
        var current = OpenContainer(items: 1)
        while true {
            if current.isIndefinite {
                let start = offset
                if readBreak() {
                    guard !current.wantsValue else { throw CBORError(.reserved, at: start) }
                    guard let outer = open.popLast() else { return }
                    current = outer
                    continue
                }
            } else if current.items == 0 {
                guard let outer = open.popLast() else { return }
                current = outer
                continue
            }
            current.passItem()
            guard let inner = try skipHead() else { continue }
            // A container whose last item begins here need not be remembered.
            if current.isIndefinite || current.items > 0 { open.append(current) }
            current = inner
        }
    }

    /// Passes over a scalar, or over the head of a container.
    /// - Returns: the container; nil for a scalar.
    @_lifetime(self: copy self)
    private mutating func skipHead() throws(CBORError) -> OpenContainer? {
        let start = offset
        let head = try readHead()
        switch head.major {
        case .unsigned, .negative:
            return nil
        case .bytes, .text:
            try skipString(head, at: start)
            return nil
        case .simple:
            guard !head.isIndefinite else { throw CBORError(.reserved, at: start) }
            if head.information >= 25, !CBORFloat.isShortest(head) { isDeterministic = false }
            return nil
        case .tag:
            return OpenContainer(items: 1)
        case .array, .map:
            let perElement: UInt64 = head.major == .map ? 2 : 1
            guard head.argument <= UInt64(bytes.count &- offset) / perElement else {
                throw CBORError(.truncated, at: bytes.count)
            }
            return OpenContainer(
                items: head.argument * perElement, isIndefinite: head.isIndefinite, isMap: head.major == .map)
        }
    }
}

/// A container whose items are being passed over.
private struct OpenContainer {
    /// The items still to come, if the length is definite.
    var items: UInt64
    var isIndefinite = false
    var isMap = false
    /// In a map of indefinite length: a key was passed, its value was not.
    var wantsValue = false

    mutating func passItem() {
        if isIndefinite {
            if isMap { wantsValue.toggle() }
        } else {
            items -= 1
        }
    }
}
