import Foundation

/// The places that references may lead to: files, schemas with an `$id`, and names within them.
struct SchemaDirectory {
    /// The result of looking for what a reference points to.
    enum Finding {
        case found(SchemaNode)
        /// No file and no `$id` is the one before the `#`, which is given.
        case noFile(String)
        /// There is nothing at the pointer behind the `#`.
        case noPlace
        /// There is no `$anchor` of the name behind the `#`.
        case noName
    }

    private let files: [LoadedFile]
    /// Schemas by their absolute `$id`.
    private var schemas: [String: SchemaNode] = [:]
    /// Schemas by the key of the schema with the `$id` or the file around them, `#`, and their `$anchor`.
    private var anchors: [String: SchemaNode] = [:]
    /// The schemas with an `$id` and the roots of files, by their own keys, each with its address.
    private var resources: [String: (node: SchemaNode, address: URL?)] = [:]

    init(_ files: [LoadedFile]) {
        self.files = files
        for file in files { note(file.node, within: file.node, at: nil) }
    }

    private mutating func note(_ node: SchemaNode, within resource: SchemaNode, at address: URL?) {
        var (resource, address) = (resource, address)
        let isRoot = node.pointer.tokens.isEmpty
        let id = node.text("$id") ?? (isRoot ? node.text("id") : nil)
        if let id, id.hasPrefix("#") {
            // How the drafts before 2019 write an anchor.
            anchors["\(resource.key)#\(id.dropFirst())"] = node
        } else if let id, let url = URL(string: id, relativeTo: address)?.absoluteURL {
            (resource, address) = (node, url)
            schemas[SchemaDirectory.text(url)] = node
            resources[node.key] = (node, url)
        } else if isRoot {
            resources[node.key] = (node, nil)
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let name = node.text(keyword) { anchors["\(resource.key)#\(name)"] = node }
        }
        for schema in node.subschemas { note(schema, within: resource, at: address) }
    }

    /// Looks for what a reference points to.
    func find(_ text: String, from node: SchemaNode) -> Finding {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let fragment = parts.count > 1 ? parts[1].removingPercentEncoding ?? parts[1] : ""
        let around = resource(around: node)
        guard let root = parts[0].isEmpty ? around.node : schema(parts[0], from: node, around.address) else {
            return .noFile(parts[0])
        }
        guard let pointer = JSONPointer(fragment) else {
            return anchors["\(root.key)#\(fragment)"].map { .found($0) } ?? .noName
        }
        // Within a schema with an `$id` of its own some count from the file's root all the same.
        for start in [root, root.file.node] {
            if let target = start.descendant(pointer) { return .found(target) }
        }
        return .noPlace
    }

    /// The nearest schema around a node that has an `$id`, or the root of its file.
    private func resource(around node: SchemaNode) -> (node: SchemaNode, address: URL?) {
        var pointer = node.pointer
        while true {
            if let found = resources["\(node.file.location)#\(pointer)"] { return found }
            if pointer.tokens.isEmpty { return (node.file.node, nil) }
            pointer.removeLast()
        }
    }

    /// The schema of a file or with an `$id`.
    private func schema(_ text: String, from node: SchemaNode, _ address: URL?) -> SchemaNode? {
        if let url = URL(string: text, relativeTo: address)?.absoluteURL, let found = schemas[SchemaDirectory.text(url)]
        {
            return found
        }
        let location = node.file.location(of: text.removingPercentEncoding ?? text)
        if let file = files.first(where: { $0.location == location }) { return file.node }
        // A copy of what stands elsewhere is meant where only one file has the name.
        guard URL(string: text)?.scheme != nil, let name = text.split(separator: "/").last else { return nil }
        let named = files.filter { file in
            file !== node.file && (file.source.name == name || file.source.name == "\(name).json")
        }
        return named.count == 1 ? named[0].node : nil
    }

    /// An address without an empty fragment.
    private static func text(_ url: URL) -> String {
        let text = url.absoluteString
        return text.hasSuffix("#") ? String(text.dropLast()) : text
    }
}

extension SchemaNode {
    /// The node at a place below this one.
    fileprivate func descendant(_ pointer: JSONPointer) -> SchemaNode? {
        var target = self
        for token in pointer.tokens {
            guard
                let next = target[token]
                    ?? Int(token).flatMap({ number in
                        target.elements.indices.contains(number) ? target.elements[number] : nil
                    })
            else { return nil }
            target = next
        }
        return target
    }
}
