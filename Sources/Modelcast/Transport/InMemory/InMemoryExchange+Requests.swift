import ZeroMQ

extension InMemoryExchange {
    /// A bound control endpoint.
    struct Control {
        let waker: Waker
        /// How many replies may wait for one peer.
        let replyCountMax: Int
        /// A peer for each request that waits, in the order of the requests. Those of peers that have gone are skipped.
        var arrivals = BoundedQueue<ID>(limit: .max)
    }

    /// A connection for requests.
    struct Requester {
        let endpoint: String
        /// The name of the service that asks; empty where there is none.
        let service: String
        let waker: Waker
        var requests: BoundedQueue<[UInt8]>
        var replies: BoundedQueue<HeldMessage>
        /// Its number at the control endpoint; nil while nobody has bound that.
        var peer: ID?
        /// The greeting that ``look(_:)`` has not told yet.
        var greeting = Greeting.pending
        /// The side that asks has gone. What it has asked is still to be read.
        var isClosed = false

        var link: Link { Link(service: service, control: endpoint) }
    }

    // MARK: The side that asks

    mutating func connect(to endpoint: String, by service: String, _ waker: Waker, queueByteCount: Int) -> ID {
        let id = takeID()
        requesters[id] = Requester(
            endpoint: endpoint, service: service, waker: waker, requests: BoundedQueue(limit: queueByteCount),
            replies: BoundedQueue(limit: .max))
        attach(id)
        return id
    }

    /// - Returns: the replies that nobody reads any more, so that they are released outside of the lock.
    mutating func disconnect(_ id: ID) -> [HeldMessage] {
        let replies = requesters[id]?.replies.take() ?? []
        requesters[id]?.isClosed = true
        removeIfDone(id)
        return replies
    }

    /// Queues a request. It is lost where there is no room.
    mutating func send(_ request: [UInt8], by id: ID) {
        guard requesters[id]?.requests.append(request, size: request.count) ?? false,
            let requester = requesters[id], let peer = requester.peer
        else { return }
        _ = controls[requester.endpoint]?.arrivals.append(peer, size: 1)
        controls[requester.endpoint]?.waker.wake()
    }

    /// - Returns: the next reply, and whether there are more.
    mutating func takeReply(of id: ID) -> (HeldMessage?, hasMore: Bool) {
        let reply = requesters[id]?.replies.takeFirst()
        return (reply, !(requesters[id]?.replies.isEmpty ?? true))
    }

    mutating func look(_ id: ID) -> Greeting {
        let greeting = requesters[id]?.greeting ?? .pending
        requesters[id]?.greeting = .pending
        return greeting
    }

    // MARK: The side that answers

    mutating func bindControl(_ endpoint: String, _ waker: Waker, replyCountMax: Int) {
        controls[endpoint] = Control(waker: waker, replyCountMax: replyCountMax)
        for id in requesters.keys.sorted() where requesters[id]?.endpoint == endpoint { attach(id) }
    }

    /// Ends all connections to a control endpoint. Replies that were sent are still read; requests that were not read
    /// are lost.
    mutating func unbindControl(_ endpoint: String) {
        controls[endpoint] = nil
        for id in requesters.keys where requesters[id]?.endpoint == endpoint { detach(id) }
    }

    /// - Returns: the requests that came first, each with its peer, and whether there are more.
    mutating func takeRequests(
        at endpoint: String, atMost countMax: Int, byteCountMax: Int
    ) -> (requests: [(peer: ID, request: [UInt8])], hasMore: Bool) {
        var requests: [(peer: ID, request: [UInt8])] = []
        var byteCount = 0
        while requests.count < countMax, byteCount < byteCountMax,
            let peer = controls[endpoint]?.arrivals.takeFirst()
        {
            guard let id = peers[peer], let request = requesters[id]?.requests.takeFirst() else { continue }
            requests.append((peer, request))
            byteCount += request.count
            removeIfDone(id)
        }
        return (requests, !(controls[endpoint]?.arrivals.isEmpty ?? true))
    }

    /// - Returns: false where the peer has gone, or does not read.
    mutating func reply(_ load: HeldMessage, to peer: ID) -> Bool {
        guard let id = peers[peer], let requester = requesters[id], !requester.isClosed,
            requester.replies.count < controls[requester.endpoint]?.replyCountMax ?? 0
        else { return false }
        _ = requesters[id]?.replies.append(load, size: 1)
        requester.waker.wake()
        return true
    }

    /// Ends the connection of a peer, with all that waits in it. The peer connects again at once.
    /// - Returns: the replies that are lost, so that they are released outside of the lock.
    mutating func cut(_ peer: ID) -> [HeldMessage] {
        guard let id = peers[peer] else { return [] }
        let replies = requesters[id]?.replies.take() ?? []
        detach(id)
        attach(id)
        return replies
    }

    // MARK: Both

    mutating func attach(_ id: ID) {
        guard let requester = requesters[id], requester.peer == nil, controls[requester.endpoint] != nil,
            !faults.cut.contains(requester.link)
        else { return }
        let peer = takeID()
        peers[peer] = id
        requesters[id]?.peer = peer
        // A loss that was not told yet is the greater news.
        if requester.greeting == .pending { requesters[id]?.greeting = .succeeded }
        requester.waker.wake()
        guard !requester.requests.isEmpty else { return }
        for _ in 0..<requester.requests.count { _ = controls[requester.endpoint]?.arrivals.append(peer, size: 1) }
        controls[requester.endpoint]?.waker.wake()
    }

    mutating func detach(_ id: ID) {
        guard let peer = requesters[id]?.peer else { return }
        peers[peer] = nil
        requesters[id]?.peer = nil
        _ = requesters[id]?.requests.take()
        requesters[id]?.greeting = .lost
        requesters[id]?.waker.wake()
        removeIfDone(id)
    }

    private mutating func removeIfDone(_ id: ID) {
        guard let requester = requesters[id], requester.isClosed else { return }
        guard requester.peer == nil || requester.requests.isEmpty else { return }
        if let peer = requester.peer { peers[peer] = nil }
        requesters[id] = nil
    }
}
