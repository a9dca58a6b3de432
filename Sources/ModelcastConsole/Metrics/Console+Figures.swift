import Modelcast

/// The figures that a scrape reads from the services at that moment, beside what they hand to swift-metrics.
extension Console {
    /// How many types are told apart. The others of a process are one series, `(others)`.
    private static let typeCountMax = 200

    func families() -> [MetricFamily] {
        let looks = refresh()
        var families = readinessFigures(looks) + (ProcessFigures.now?.families ?? [])
        families += copyFigures() + fetchFigures(looks)
        families += listeningFigures(looks)
        families += servingFigures(looks)
        families += storeFigures(looks)
        families += gatewayFigures() + answerFigures()
        families += distributionFigures()
        return families + (metrics?.families ?? [])
    }

    private func labels(_ subject: ConsoleSubject) -> [MetricLabel] {
        [MetricLabel("name", subject.name), MetricLabel("service", subject.kind)]
    }

    private func readinessFigures(_ looks: [ConsoleLook]) -> [MetricFamily] {
        var live = MetricFamily(
            name: "modelcast_live", kind: .gauge, help: "Whether the threads of the services turn, as /livez says it.")
        live.add(livenessChecks().allSatisfy { $0.problem == nil } ? 1 : 0)
        var ready = MetricFamily(
            name: "modelcast_ready", kind: .gauge, help: "Whether the copies may be relied on, as /readyz says it.")
        ready.add(readinessChecks(looks).allSatisfy { $0.problem == nil } ? 1 : 0)
        return [live, ready]
    }

    private func copyFigures() -> [MetricFamily] {
        var models = MetricFamily(
            name: "modelcast_models", kind: .gauge, help: "Models that exist in the copy of this service, by type.")
        // A request for figures shows no token, so where models need one their types are not told either.
        let tellsTypes = gateway?.configuration.tokens == nil
        for subject in subjects {
            var others = 0
            for (index, type) in subject.cache.types.sorted().enumerated() {
                let count = subject.cache.count(of: type)
                guard tellsTypes, index < Console.typeCountMax else {
                    others += count
                    continue
                }
                models.add(Double(count), labels(subject) + [MetricLabel("type", type)])
            }
            if others > 0 { models.add(Double(others), labels(subject) + [MetricLabel("type", "(others)")]) }
        }
        return [models]
    }

    private func fetchFigures(_ looks: [ConsoleLook]) -> [MetricFamily] {
        var evicted = MetricFamily(
            name: "modelcast_evicted_models", kind: .gauge,
            help: "Models that exist and have left the copy for its limits, as far as it knows of them.")
        var hits = MetricFamily(
            name: "modelcast_fetch_hits", kind: .counter, help: "Fetched models that were in the copy.")
        var misses = MetricFamily(
            name: "modelcast_fetch_misses", kind: .counter, help: "Fetched models that the senders were asked for.")
        for look in looks {
            guard let fetches = look.state.fetches else { continue }
            let (labels, cache) = (labels(look.subject), look.subject.cache)
            evicted.add(Double(cache.types.reduce(0) { $0 + cache.evictedCount(of: $1) }), labels)
            hits.add(Double(fetches.hits), labels)
            misses.add(Double(fetches.misses), labels)
        }
        return [evicted, hits, misses]
    }

    private func listeningFigures(_ looks: [ConsoleLook]) -> [MetricFamily] {
        var senders = MetricFamily(
            name: "modelcast_senders", kind: .gauge, help: "Senders that this service listens to, by state.")
        var outage = MetricFamily(
            name: "modelcast_sender_outage_seconds", kind: .gauge,
            help: "For how long a sender has not been live; 0 while it is.")
        var streams = MetricFamily(
            name: "modelcast_streams", kind: .gauge, help: "Streams that this service follows, by state.")
        var stale = MetricFamily(
            name: "modelcast_stale_origins", kind: .gauge,
            help: "Origins of which nothing fresh is known for longer than the limit of readiness.")
        var missing = MetricFamily(
            name: "modelcast_missing_batches", kind: .gauge, help: "Batches that are known to be sent and are not here."
        )
        for look in looks {
            guard let listening = look.state.listening else { continue }
            let labels = labels(look.subject)
            for state in ReplicaState.allCases {
                let label = MetricLabel("state", state.rawValue)
                senders.add(Double(listening.senders.count { $0.state == state }), labels + [label])
                streams.add(Double(listening.streams.count { $0.state == state }), labels + [label])
            }
            for sender in listening.senders {
                let label = MetricLabel("sender", "\(sender.sender.index + 1)")
                outage.add(look.watch.outage(of: sender, now: look.now).seconds, labels + [label])
            }
            stale.add(Double(look.watch.stale(for: configuration.staleAfter, now: look.now).count), labels)
            missing.add(Double(listening.streams.reduce(0) { $0 &+ $1.shownMissing }), labels)
        }
        return [senders, outage, streams, stale, missing]
    }

    private func servingFigures(_ looks: [ConsoleLook]) -> [MetricFamily] {
        var peers = MetricFamily(
            name: "modelcast_peers", kind: .gauge, help: "Peers that listen or have asked something lately.")
        var live = MetricFamily(
            name: "modelcast_live_peers", kind: .gauge, help: "Peers whose last report says that they are live.")
        var replay = MetricFamily(
            name: "modelcast_replay_bytes", kind: .gauge, help: "Bytes of batches that are held for replay.")
        var lead = MetricFamily(
            name: "modelcast_clock_lead_seconds", kind: .gauge,
            help: "How far the stamps of a publisher lie ahead of its clock.")
        for look in looks {
            let labels = labels(look.subject)
            if let all = look.state.peers {
                peers.add(Double(all.count), labels)
                live.add(Double(all.count(where: \.isLive)), labels)
            }
            if let status = look.state.publisher {
                replay.add(Double(status.replayByteCount), labels)
                lead.add(status.clockLead.seconds, labels)
            }
        }
        return [peers, live, replay, lead]
    }

    private func gatewayFigures() -> [MetricFamily] {
        guard let gateway else { return [] }
        var streams = MetricFamily(
            name: "modelcast_event_streams", kind: .gauge, help: "Event streams that are being read.")
        streams.add(Double(gateway.feeds.count))
        var history = MetricFamily(
            name: "modelcast_history_bytes", kind: .gauge, help: "Bytes of changes that are kept, about.")
        history.add(Double(gateway.keptHistory?.byteCount ?? 0))
        return [streams, history]
    }

    private func answerFigures() -> [MetricFamily] {
        var waiting = MetricFamily(
            name: "modelcast_answer_bytes", kind: .gauge,
            help: "Bytes of answers over HTTP that their readers have not taken yet.")
        waiting.add(Double(connections.waitingByteCount))
        var cut = MetricFamily(
            name: "modelcast_cut_readers", kind: .counter,
            help: "Readers of answers over HTTP that were cut because they took nothing and too much waited.")
        cut.add(Double(connections.cutCount))
        return [waiting, cut]
    }

    private func distributionFigures() -> [MetricFamily] {
        var lag = MetricFamily(
            name: "modelcast_lag_seconds", kind: .histogram,
            help: "From a write, by its publisher's clock, to the merge of its commit here, by the clock here.")
        var sizes = MetricFamily(
            name: "modelcast_commit_changes", kind: .histogram, help: "Changes in a commit of the copy.")
        var repairs = MetricFamily(
            name: "modelcast_repair_seconds", kind: .histogram, help: "From finding a hole in a stream to its end.")
        for (subject, distributions) in zip(subjects, distributions) {
            let labels = labels(subject)
            lag.samples += distributions.lag.samples(labels)
            sizes.samples += distributions.commitSize.samples(labels)
            repairs.samples += distributions.repairTime.samples(labels)
        }
        return [lag, sizes, repairs]
    }

    private func storeFigures(_ looks: [ConsoleLook]) -> [MetricFamily] {
        var health = MetricFamily(
            name: "modelcast_store_degraded", kind: .gauge, help: "Whether writing to the store fails.")
        var pending = MetricFamily(
            name: "modelcast_store_pending_models", kind: .gauge, help: "Models that wait to be written to the store.")
        var rows = MetricFamily(
            name: "modelcast_store_rows_written", kind: .counter, help: "Rows written to the store.")
        var failures = MetricFamily(
            name: "modelcast_store_failures", kind: .counter, help: "Writes to the store that failed.")
        for look in looks {
            guard let store = look.state.store else { continue }
            let labels = labels(look.subject)
            health.add(store.problem == nil ? 0 : 1, labels)
            pending.add(Double(store.pendingModels), labels)
            rows.add(Double(store.rowsWritten), labels)
            failures.add(Double(store.failures), labels)
        }
        return [health, pending, rows, failures]
    }
}

extension Duration {
    /// Seconds, with decimals.
    var seconds: Double { self / .seconds(1) }
}
