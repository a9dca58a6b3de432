extension InspectorPage {
    /// The part of the script that makes the topology.
    static let topologyScript = #"""

        // Topology: publishers, relays, this process, its peers, as far as the status tells.

        views.set('topology', { title: 'Topology', make: root => new Topology(root) });

        const nodeWidth = 168, nodeHeight = 44, nodeGap = 14, swarmFrom = 13;

        /** What a status tells as layers of nodes, and the edges between them. */
        function topologyOf(status) {
          const layers = [[], [], [], []], edges = [];
          listOf(status.services).forEach((service, index) => addService(service, index, layers, edges));
          // Publishers that are heard directly stand below those that come through a relay.
          layers[0].sort((a, b) => Boolean(a.isDirect) - Boolean(b.isDirect));
          layers.forEach((layer, index) => layers[index] = gathered(layer, edges));
          addGhosts(layers, edges);
          return { layers: layers.filter(layer => layer.length), edges };
        }

        /** An edge that skips the relays gets a place between them, so that it runs behind no node. */
        function addGhosts(layers, edges) {
          const relays = [...layers[1]], first = new Set(layers[0].map(node => node.key));
          if (!relays.length) return;
          for (const edge of edges) {
            const isSkipping = first.has(edge.from) && !relays.some(relay => relay.key === edge.to);
            if (!isSkipping || edge.isDouble) continue;
            edge.ghost = `ghost ${edge.from}`;
            layers[1].push({ key: edge.ghost, isGhost: true });
          }
        }

        function addService(service, index, layers, edges) {
          const self = { key: `service ${index}`, kind: service.service, name: service.name, isSelf: true,
            state: selfState(service), facts: selfFacts(service) };
          layers[2].push(self);
          const origins = listOf(service.origins), senders = listOf(service.senders);
          const direct = new Map(senders.map(sender => [sender.name, sender]));
          const relays = senders.filter(sender => !origins.some(origin => origin.origin === sender.name));
          for (const sender of relays) {
            const node = senderNode(sender, 'sender', index);
            layers[1].push(node);
            // What comes through several relays lacks at each of them.
            edges.push(senderEdge(node, self, sender, origins.filter(one => !direct.has(one.origin)), service));
          }
          for (const origin of origins) {
            const sender = direct.get(origin.origin), node = originNode(origin, sender, index);
            layers[0].push(node);
            if (sender) edges.push(senderEdge(node, self, sender, [origin], service));
            else edges.push(...throughRelays(node, relays, self, index, origin));
          }
          for (const peer of listOf(service.peers)) {
            const node = peerNode(peer, index);
            layers[3].push(node);
            edges.push({ from: self.key, to: node.key, state: peer.state,
              label: edgeLabel(peer.lagSeconds, ' behind') });
          }
          for (const push of listOf(service.pushes)) {
            const node = { key: `push ${index} ${push.relay}`, kind: 'pushed to', name: push.relay ?? 'relay',
              state: push.state ?? null, facts: membersOf(push) };
            layers[3].push(node);
            edges.push({ from: self.key, to: node.key, state: node.state, label: '' });
          }
        }

        function selfState(service) {
          const rows = [...listOf(service.senders), ...listOf(service.origins)];
          return rows.find(row => stateKind(row.state) === 'bad')?.state
            ?? rows.find(row => stateKind(row.state) === 'busy')?.state ?? 'live';
        }

        function selfFacts(service) {
          const models = countText(sumOf(service, 'models'));
          return [['models', hasMoreTypes(service) ? `at least ${models}` : models],
            ['types', countText(service.typesCount)], ['lag', secondsText(service.lagSeconds)],
            ['peers', countText(service.peersCount)]];
        }

        function senderNode(sender, kind, index) {
          return { key: `sender ${index} ${sender.sender}`, kind, name: sender.name || `sender ${sender.sender}`,
            state: sender.state, facts: senderFacts(sender) };
        }

        function senderFacts(sender) {
          return [['state for', durationText(sender.sinceSeconds)],
            ['heard', heardText(sender)],
            ['not live for', durationText(sender.outageSeconds)], ['last error', sender.error ?? none]];
        }

        function originNode(origin, sender, index) {
          const facts = [['streams', countText(origin.streams)], ['applied', countText(origin.applied)],
            ['head', countText(origin.head)], ['missing batches', countText(origin.missingBatches)],
            ['holes found', countText(origin.holesFound)], ['reason', origin.reason ?? none]];
          return { key: `origin ${index} ${origin.origin}`, kind: 'publisher', isDirect: Boolean(sender),
            name: origin.origin, state: origin.state, facts: sender ? [...facts, ...senderFacts(sender)] : facts };
        }

        function peerNode(peer, index) {
          return { key: `peer ${index} ${peer.name} ${peer.address}`, kind: 'peer', name: peer.name,
            state: peer.state,
            facts: [['lag', secondsText(peer.lagSeconds)], ['heard', heardText(peer)],
              ['applied', countText(peer.applied)], ['requests', countText(peer.requests)],
                ['address', peer.address ?? none], ['key', peer.key ?? none]] };
        }

        /**
         * The label says how far this copy is behind what comes from there: in batches where some are missing, else how
         * late the last change came; and when the sender was last heard.
         */
        function senderEdge(node, self, sender, origins, service) {
          const missing = origins.reduce((sum, row) => sum + (row.missingBatches || 0), 0);
          const late = isNumber(service.lagSeconds) ? `lag ${secondsText(service.lagSeconds)}` : '';
          return { from: node.key, to: self.key, state: sender.state,
            label: missing > 0 ? `${countText(missing)} missing` : late,
            more: edgeLabel(sender.silentSeconds, ' ago') };
        }

        /** An origin that is no sender itself comes through a relay; which one is not told. */
        function throughRelays(node, relays, self, index, origin) {
          const targets = relays.length ? relays.map(relay => `sender ${index} ${relay.sender}`) : [self.key];
          const label = origin.missingBatches ? `${countText(origin.missingBatches)} missing` : '';
          return targets.map(to => ({ from: node.key, to, state: origin.state, label,
            isGuess: relays.length !== 1 }));
        }

        function edgeLabel(value, unit) {
          return isNumber(value) ? secondsText(value) + unit : '';
        }

        /** A layer of too many nodes becomes one field of marks, the worst first. */
        function gathered(layer, edges) {
          if (layer.length < swarmFrom) return layer;
          const members = [...layer].sort(byBadness);
          const swarm = { key: `all ${layer[0].key}`, kind: layer[0].kind, members, summary: summaryOf(members),
            state: members.find(node => node.state)?.state ?? null,
            name: `${countText(layer.length)} ${layer[0].kind === 'peer' ? 'peers' : `× ${layer[0].kind}`}` };
          const keys = new Set(layer.map(node => node.key)), seen = new Set();
          for (const edge of edges) {
            if (keys.has(edge.from)) Object.assign(edge, { from: swarm.key, label: '', more: '' });
            if (keys.has(edge.to)) Object.assign(edge, { to: swarm.key, label: '', more: '' });
            const pair = `${edge.from}\n${edge.to}`;
            edge.isDouble = seen.has(pair);
            seen.add(pair);
          }
          return [swarm];
        }

        /** How many are in which state, the worst first. */
        function summaryOf(members) {
          const live = members.filter(node => stateKind(node.state) === 'good').length;
          const away = members.length - live;
          return away ? `${countText(live)} live, ${countText(away)} not` : 'all live';
        }

        const swarmColumns = 15, markSize = 10;

        function sizeOf(node) {
          if (node.isGhost) return { width: nodeWidth, height: 24 };
          if (!node.members) return { width: nodeWidth, height: nodeHeight };
          const lines = Math.ceil(node.members.length / swarmColumns);
          return { width: nodeWidth, height: nodeHeight + lines * markSize + 6 };
        }

        /** Places the layers: beside each other where there is room, else below each other. */
        function placed(topology, width) {
          const isWide = width >= topology.layers.length * (nodeWidth + 60);
          const places = new Map();
          const height = isWide ? placeWide(topology.layers, width, places)
            : placeNarrow(topology.layers, width, places);
          return { places, height, isWide };
        }

        function placeWide(layers, width, places) {
          const tall = layers.map(layer => layer.reduce((sum, node) => sum + sizeOf(node).height + nodeGap,
            -nodeGap));
          const height = Math.max(240, ...tall) + 2 * nodeGap;
          const room = Math.min(width, layers.length * 440);
          layers.forEach((layer, index) => {
            const step = layers.length > 1 ? (room - nodeWidth - 4) / (layers.length - 1) : 0;
            let y = (height - tall[index]) / 2;
            for (const node of layer) {
              places.set(node.key, { x: (width - room) / 2 + 2 + index * step, y, ...sizeOf(node) });
              y += sizeOf(node).height + nodeGap;
            }
          });
          return height;
        }

        /** Where layers stand below each other, publishers that are heard directly stand beside the relays. */
        function withoutGhosts(layers) {
          if (!layers.some(layer => layer.some(node => node.isGhost))) return layers;
          const [origins, relays, ...rest] = layers;
          const direct = origins.filter(node => node.isDirect), others = origins.filter(node => !node.isDirect);
          return [others, [...relays.filter(node => !node.isGhost), ...direct],
            ...rest].filter(layer => layer.length);
        }

        function placeNarrow(layers, width, places) {
          const perLine = Math.max(1, Math.floor((width + nodeGap) / (nodeWidth + nodeGap)));
          let y = 4;
          for (const layer of withoutGhosts(layers)) {
            for (let index = 0; index < layer.length; index += perLine) {
              const line = layer.slice(index, index + perLine);
              const used = line.length * (nodeWidth + nodeGap) - nodeGap;
              line.forEach((node, place) => places.set(node.key,
                { x: (width - used) / 2 + place * (nodeWidth + nodeGap), y, ...sizeOf(node) }));
              y += Math.max(...line.map(node => sizeOf(node).height)) + nodeGap;
            }
            y += 44;
          }
          return y - 44;
        }

        class Topology {
          constructor(root) {
            this.drawing = s('svg', { class: 'topology', role: 'group',
              'aria-label': 'Processes and their connections' });
            // The name alone is read out: the figures below it change each second.
            this.title = h('h3', { 'aria-live': 'polite' },
              h('span', { class: 'mono' }), ' ', h('span', { class: 'dim' }));
            this.figures = h('div', {});
            this.detail = h('aside', { class: 'panel', 'data-test': 'node-detail' }, this.title, this.figures);
            this.chosen = null;
            this.frame = h('div', { class: 'drawing' }, this.drawing);
            root.append(this.frame, this.detail,
              note('An edge shows how far the process at its end is behind, in time or in batches that are missing, '
                + 'and how long ago its sender was heard. A broken line: through which relay these batches come is '
                + 'not told.', { class: 'note dim' }));
            this.watch = new ResizeObserver(() => this.draw());
            this.watch.observe(this.frame);
          }

          close() {
            this.watch.disconnect();
          }

          status(status, error) {
            this.topology = error ? null : topologyOf(status);
            this.error = error;
            this.draw();
          }

          draw() {
            if (this.error) {
              setText(this.title.firstChild, '');
              setText(this.title.lastChild, '');
              showMessages(this.figures, errorNote(this.error, 'The status'));
              return this.drawing.replaceChildren();
            }
            if (!this.topology) return;
            const width = this.frame.clientWidth, { layers, edges } = this.topology;
            const { places, height, isWide } = placed(this.topology, width);
            const focused = this.drawing.contains(document.activeElement) ? document.activeElement.dataset.key : null;
            this.drawing.setAttribute('viewBox', `0 0 ${width} ${height}`);
            this.drawing.setAttribute('height', height);
            const nodes = layers.flat().filter(node => !node.isGhost);
            const drawn = edges.filter(edge => !edge.isDouble && places.has(edge.from) && places.has(edge.to));
            this.drawing.replaceChildren(
              ...drawn.map(edge => this.edge(edge, places, isWide)),
              ...nodes.map(node => this.box(node, places.get(node.key))));
            if (focused) this.drawing.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
            this.showDetail(nodes.flatMap(node => node.members ?? [node]));
          }

          edge(edge, places, isWide) {
            const from = places.get(edge.from), to = places.get(edge.to), ghost = places.get(edge.ghost);
            const line = isWide ? wideLine(from, to, ghost) : narrowLine(from, to);
            const texts = [edge.label, edge.more].filter(Boolean);
            const label = texts.length ? s('text', { y: line.y - (texts.length - 1) * 7, 'text-anchor': 'middle' },
              texts.map((text, index) => s('tspan', { x: line.x, dy: index ? 14 : null }, text))) : null;
            return s('g', { class: 'edge', 'data-state': stateKind(edge.state), 'data-test': 'edge' },
              s('path', { d: line.path, class: edge.isGuess ? 'guess' : null }), label);
          }

          box(node, place) {
            const kind = stateKind(node.state);
            const open = () => {
              this.chosen = node.members ? node.members[0].key : node.key;
              this.draw();
            };
            // A field of marks is a group: its marks are the buttons, of which one has the focus, and arrows go on.
            return s('g', {
              class: node.isSelf ? 'node self' : 'node', transform: `translate(${place.x} ${place.y})`,
              tabindex: node.members ? null : 0, role: node.members ? 'group' : 'button', 'data-test': 'node',
              'data-key': node.key, 'data-state': kind, onclick: open,
              'aria-label': node.members ? `${node.name}, ${node.summary}`
                : `${node.kind} ${node.name}, ${node.state ?? 'not told'}`,
              'aria-pressed': node.members ? null : String(this.chosen === node.key),
              'data-chosen': this.chosen === node.key,
              onkeydown: event => node.members ? this.markKey(event, node) : pressesButton(event, open),
            },
            s('rect', { width: place.width, height: place.height, rx: 7 }),
            s('path', { class: 'mark', d: shapes[kind], transform: 'translate(12 11)' }),
            s('text', { class: 'title', x: 30, y: 20.5 }, shorten(String(node.name), 18)),
            s('text', { class: 'kind', x: 30, y: 35.5 }, node.summary
              ?? `${node.kind} · ${node.state ?? 'not told'}`),
            listOf(node.members).map((member, index) => this.mark(member, index, this.stopOf(node) === index)));
          }

          /** The mark of a field at which the tab key stops: the one that was chosen or moved to last. */
          stopOf(node) {
            const at = key => node.members.findIndex(member => member.key === key);
            return Math.max(0, at(this.moved) >= 0 ? at(this.moved) : at(this.chosen));
          }

          markKey(event, node) {
            const at = node.members.findIndex(member => member.key === event.target.dataset.key);
            const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: swarmColumns, ArrowUp: -swarmColumns,
              Home: -at, End: node.members.length - 1 - at };
            if (at < 0 || !Object.hasOwn(steps, event.key)) return;
            event.preventDefault();
            const member = node.members[at + steps[event.key]];
            if (!member) return;
            this.moved = member.key;
            this.drawing.querySelector(`[data-key="${CSS.escape(member.key)}"]`).focus();
            this.draw();
          }

          mark(member, index, isStop) {
            const x = 11 + index % swarmColumns * markSize,
              y = nodeHeight + Math.floor(index / swarmColumns) * markSize;
            const open = event => {
              event.stopPropagation();
              this.chosen = this.moved = member.key;
              this.draw();
            };
            return s('g', {
              class: 'member', 'data-state': stateKind(member.state), 'data-test': 'member', 'data-key': member.key,
              'data-chosen': this.chosen === member.key, tabindex: isStop ? 0 : -1, role: 'button',
              'aria-pressed': String(this.chosen === member.key),
              'aria-label': `${member.name}, ${member.state ?? 'not told'}`,
              transform: `translate(${x} ${y}) scale(.66)`, onclick: open,
              onkeydown: event => pressesButton(event, open),
            }, s('title', {}, `${member.name}: ${member.state ?? 'not told'}`),
            s('path', { class: 'mark', d: shapes[stateKind(member.state)] }));
          }

          showDetail(nodes) {
            const node = nodes.find(one => one.key === this.chosen) ?? nodes.find(one => one.isSelf);
            setText(this.title.firstChild, node?.name ?? '');
            setText(this.title.lastChild, node?.kind ?? '');
            if (!node) return this.figures.replaceChildren();
            this.figures.replaceChildren(
              stateNode(node.state),
              h('dl', { class: 'pairs' }, node.facts.map(([name, text]) =>
                h('div', {}, h('dt', {}, name), h('dd', {}, typeof text === 'string' ? text : jsonText(text))))));
          }
        }

        /** Does what a button does at Enter and at the space bar. */
        function pressesButton(event, press) {
          if (event.key !== 'Enter' && event.key !== ' ') return;
          event.preventDefault();
          press(event);
        }

        /** From left to right, by way of a ghost where the edge skips a layer; the label interrupts its middle. */
        function wideLine(from, to, ghost) {
          const start = { x: from.x + from.width, y: from.y + from.height / 2 };
          const end = { x: to.x, y: to.y + to.height / 2 };
          if (!ghost) {
            return { path: `M${start.x} ${start.y}${curve(start, end)}`,
              x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 + 4 };
          }
          const enter = { x: ghost.x, y: ghost.y + ghost.height / 2 },
            leave = { ...enter, x: ghost.x + ghost.width };
          return { path: `M${start.x} ${start.y}${curve(start, enter)}L${leave.x} ${leave.y}${curve(leave, end)}`,
            x: (enter.x + leave.x) / 2, y: enter.y + 4 };
        }

        function curve(start, end) {
          const middle = (start.x + end.x) / 2;
          return `C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}`;
        }

        function narrowLine(from, to) {
          const start = { x: from.x + from.width / 2, y: from.y + from.height };
          const end = { x: to.x + to.width / 2, y: to.y }, middle = (start.y + end.y) / 2;
          return { path: `M${start.x} ${start.y}C${start.x} ${middle} ${end.x} ${middle} ${end.x} ${end.y}`,
            x: (start.x + end.x) / 2, y: middle + 4 };
        }
        """#
}
