extension InspectorPage {
    /// The part of the script that makes the overview.
    static let overviewScript = #"""

        // Overview: what is wrong first, then the figures of the process and of its services.

        views.set('overview', { title: 'Overview', make: root => new Overview(root) });

        class Overview {
          constructor(root) {
            this.verdict = h('section', { class: 'verdict' });
            // Which checks fail is read out; for how long they do, which changes each second, is not.
            this.spoken = h('p', { class: 'hidden', 'aria-live': 'polite' });
            this.facts = h('dl', { class: 'facts', 'data-test': 'facts' });
            this.body = h('div', { class: 'services' });
            this.sections = new Map();
            this.told = null;
            root.append(this.verdict, this.spoken, this.facts, this.body);
          }

          status(status, error) {
            if (error) return this.refused(error);
            this.showVerdict(status);
            this.showFacts(status.process ?? {});
            this.showServices(listOf(status.services));
          }

          /** A status that may not be read, or is none. The other views work without. */
          refused(error) {
            if (this.told === error.detail) return;
            this.told = error.detail;
            const advice = error.status === 403
              ? 'Models, history and changes work without it.'
              : 'Models, history and changes may work without it.';
            this.verdict.replaceChildren(
              h('h1', {}, error.status === 403 ? 'The status is not for this token' : 'The status is not served'),
              note(errorText(error), { 'data-test': 'problem' }), note(advice));
            this.facts.replaceChildren();
            this.body.replaceChildren();
            this.sections.clear();
          }

          showVerdict(status) {
            const checks = listOf(status.checks), failed = checks.filter(check => check.problem);
            setText(this.spoken, failed.length ? `Not ready: ${failed.slice(0, 8).map(check => check.check).join(', ')}`
              : 'Ready');
            const told = JSON.stringify([status.ready, checks.length, failed]);
            if (this.told === told) return;
            this.told = told;
            this.verdict.dataset.ready = failed.length === 0;
            const parts = failed.length ? this.problems(failed, checks) : this.calmLine(checks);
            this.verdict.replaceChildren(...parts);
          }

          calmLine(checks) {
            const state = stateNode('ready');
            setText(state.lastChild, 'Ready');
            return [h('h1', { class: 'calm', 'data-test': 'calm' }, state),
              h('details', { class: 'checks' },
                h('summary', {}, `${plural(checks.length, 'check holds', 'checks hold')}`),
                h('ul', {}, checks.map(check => h('li', {}, check.check))))];
          }

          problems(failed, checks) {
            const title = `${countText(failed.length)} of ${plural(checks.length, 'check', 'checks')} `
              + (failed.length === 1 ? 'fails' : 'fail');
            return [h('h1', {}, title),
              h('ul', { class: 'problems' }, failed.slice(0, 8).map(check => this.problem(check))),
              failed.length > 8 ? note(`and ${countText(failed.length - 8)} more`) : null,
            ].filter(Boolean);
          }

          problem(check) {
            return h('li', { 'data-test': 'problem', 'data-check': check.check },
              h('strong', {}, check.problem.charAt(0).toUpperCase() + check.problem.slice(1)),
              h('span', { class: 'what' }, check.check), note(adviceFor(check)));
          }

          showFacts(process) {
            const load = shell.load === null ? none : `${Math.max(0, shell.load * 100).toFixed(0)} % of a core`;
            const facts = [['Process', process.pid ?? none],
              ['Up', isNumber(process.uptimeSeconds) ? durationText(process.uptimeSeconds) : none],
              ['Memory', bytesText(process.memoryBytes)], ['Processor', load]];
            if (this.facts.children.length !== facts.length) {
              this.facts.replaceChildren(...facts.map(([name]) => h('div', {}, h('dt', {}, name), h('dd', {}))));
            }
            facts.forEach(([, text], index) => {
              setText(this.facts.children[index].lastChild, String(text));
              this.facts.children[index].hidden = text === none;
            });
            this.facts.hidden = facts.every(([, text]) => text === none);
          }

          showServices(list) {
            const keys = new Set(list.map(service => `${service.service} ${service.name}`));
            for (const [key, section] of this.sections) {
              if (keys.has(key)) continue;
              section.node.remove();
              this.sections.delete(key);
            }
            for (const service of list) {
              const key = `${service.service} ${service.name}`;
              if (!this.sections.has(key)) {
                this.sections.set(key, new ServiceSection(service));
                this.body.append(this.sections.get(key).node);
              }
              this.sections.get(key).show(service);
            }
          }
        }

        /** What to do about a check that fails, by the name of the check. */
        const advices = [
          [/ hears /, 'See whether that sender runs, and is reached from here. Reads go on with what this copy has; '
            + 'it catches up by itself.'],
          [/^streams of /, 'What these origins have published since is not here. The table of origins says since '
            + 'when and why: see whether those run that are meant to. Reads go on with what this copy has.'],
          [/ turns$/, 'A thread hangs. Take a stack trace, then start the process again.'],
          [/ runs$/, 'The service has not begun or has ended. The log of the process says why.'],
          [/ pushes$/, 'See whether the relay runs, and whether it grants the key of this publisher.'],
          [/^store of /, 'See whether the disk is full or may not be written. Nothing is lost in memory.'],
        ];

        function adviceFor(check) {
          return advices.find(([form]) => form.test(check.check))?.[1] ?? 'The log of the process says more.';
        }

        /**
         * One service: its figures as tiles, then its tables. Tables that a service does not have are not
         * shown.
         */
        class ServiceSection {
          constructor(service) {
            this.service = service;
            this.tiles = new Map();
            this.strip = h('div', { class: 'tiles' });
            this.stack = h('div', { class: 'stack' });
            this.tables = h('div', { class: 'panels' }, this.stack);
            this.panels = new Map();
            this.node = h('section', { class: 'service', 'data-test': 'service', 'data-key': service.name },
              h('h2', {}, h('span', {}, service.name), ' ', h('span', { class: 'dim' }, service.service)),
              this.strip, this.tables);
          }

          show(service) {
            this.service = service;
            this.showTiles(service);
            this.panel('senders', senderColumns, row => row.sender, 'It listens to no sender.');
            this.panel('types', typeColumns, row => row.type, 'There are no models here yet.',
              row => go('models', [row.type]));
            this.panel('queues', queueColumns, row => row.queue, null);
            this.panel('origins', originColumns, row => row.origin, 'No origin has been heard of yet.');
            this.panel('peers', peerColumns, row => `${row.name}\n${row.address}`,
              'Nobody listens to this process.');
          }

          panel(name, columns, key, empty, open) {
            const rows = this.service[name];
            if (!Array.isArray(rows)) return;
            if (!this.panels.has(name)) {
              const title = tableTitles[name];
              const table = new Table({ title, test: name.slice(0, -1), columns: columns(), key, empty, open });
              table.node.classList.add(`panel-${name}`);
              this.panels.set(name, table);
              (name === 'types' ? this.tables : this.stack).append(table.node);
            }
            const table = this.panels.get(name);
            table.update(sortedRows(name, rows), this.service[`${name}Count`] ?? rows.length);
            table.node.hidden = !rows.length && !empty;
          }

          showTiles(service) {
            const hasBytes = listOf(service.types).some(row => isNumber(row.bytes));
            this.tile('models', hasMoreTypes(service) ? 'Models, at least' : 'Models',
              countText(sumOf(service, 'models')), `of ${plural(service.typesCount, 'type', 'types')}`
              + (hasBytes ? `, about ${bytesText(sumOf(service, 'bytes'))}` : ''));
            this.lineTile('rate', 'Changes a second', rateText);
            this.lineTile('lag', 'Lag', secondsText);
            if (Array.isArray(service.origins)) this.holesTile(service.origins);
            if (Array.isArray(service.peers)) this.peersTile(service);
            if (isNumber(service.replayBytes)) {
              const lead = service.clockLeadSeconds;
              this.tile('replay', 'Kept for replays', bytesText(service.replayBytes),
                lead > 0 ? `its stamps are ${secondsText(lead)} ahead` : 'its clock is in step');
            }
            if (service.store) this.storeTile(service.store);
            for (const push of listOf(service.pushes)) this.pushTile(push);
          }

          tile(key, title, figure, more, isBad = false) {
            let tile = this.tiles.get(key);
            if (!tile) {
              tile = h('div', { class: 'tile', 'data-test': `tile-${key}` },
                h('h3', {}, title), h('p', { class: 'figure' }), h('p', { class: 'dim' }));
              this.tiles.set(key, tile);
              this.strip.append(tile);
            }
            setText(tile.children[0], title);
            setText(tile.children[1], figure);
            setText(tile.children[2], more);
            setData(tile, 'bad', isBad || null);
            return tile;
          }

          lineTile(key, title, text) {
            const line = series(this.service, key);
            if (!line.samples.length) return;
            const tile = this.tile(key, title, text(line.last),
              `at most ${text(line.peak)} in ${durationText(line.span)}`);
            tile.spark ??= new Sparkline(title);
            if (!tile.spark.node.parentNode) tile.append(tile.spark.node);
            tile.spark.show(line);
          }

          holesTile(origins) {
            const sum = name => origins.reduce((all, row) => all + (row[name] || 0), 0);
            const found = sum('holesFound'), open = sum('openHoles'), missing = sum('missingBatches');
            const mended = countText(Math.max(0, found - open));
            this.tile('missing', 'Missing batches', countText(missing),
              `${plural(found, 'hole', 'holes')} found, ${mended} mended`, missing > 0);
          }

          peersTile(service) {
            const live = service.peers.filter(peer => peer.state === 'live').length;
            const away = service.peersCount - live;
            this.tile('peers', 'Audience', countText(service.peersCount),
              away && service.peersCount === service.peers.length
                ? `${countText(live)} live, ${countText(away)} not` :
                service.peersCount ? `${countText(live)} live` : 'nobody listens');
          }

          storeTile(store) {
            this.tile('store', 'Store', store.writes ? 'writes' : 'cannot be written',
              store.error ?? `${countText(store.rowsWritten)} rows, ${countText(store.pendingModels)} pending`,
              !store.writes);
          }

          pushTile(push) {
            const name = push.relay ?? push.name ?? 'a relay';
            this.tile(`push-${name}`, `Pushes to ${name}`, push.state ?? none,
              push.error ?? `${countText(push.acknowledged)} acknowledged, ${countText(push.unacknowledged)} wait`,
              stateKind(push.state) === 'bad');
          }
        }

        /**
         * Types by size, queues by how full they are, peers by state, the worst first. Senders and origins come in the
         * order of the process.
         */
        function sortedRows(name, rows) {
          if (name === 'types') return [...rows].sort((a, b) => b.models - a.models);
          if (name === 'queues') return [...rows].sort((a, b) => (fullness(b) ?? -1) - (fullness(a) ?? -1));
          return name === 'peers' ? [...rows].sort(byBadness) : rows;
        }

        const tableTitles = { senders: 'Senders', types: 'Types', queues: 'Queues', origins: 'Origins',
          peers: 'Audience' };

        function heardText(row) {
          return isNumber(row.silentSeconds) ? `${secondsText(row.silentSeconds)} ago` : none;
        }

        function senderColumns() {
          return [
            textColumn('Sender', row => row.name || `sender ${row.sender}, not met yet`, null, 'name'),
            stateColumn('State', row => row.state, '104px'),
            numberColumn('Since', row => durationText(row.sinceSeconds), '92px'),
            numberColumn('Heard', heardText, '92px'),
            textColumn('Last error', row => row.error ?? none, '150px', 'words'),
          ];
        }

        function originColumns() {
          return [
            textColumn('Origin', row => row.origin, null, 'name'),
            stateColumn('State', row => row.state, '104px'),
            numberColumn('Since', row => durationText(row.sinceSeconds), '84px'),
            { title: 'Applied', width: '88px', kind: 'number', fill: fillApplied },
            numberColumn('Head', row => countText(row.head), '88px'),
            numberColumn('Missing', row => countText(row.missingBatches), '68px'),
            { title: 'Holes', width: '76px', kind: 'number', fill: fillHoles },
            textColumn('Why, or last repair', whyText, '150px', 'words'),
          ];
        }

        function whyText(row) {
          if (row.state !== 'live' && row.reason) return row.reason;
          return isNumber(row.lastRepairSeconds) ? `repaired in ${secondsText(row.lastRepairSeconds)}` : none;
        }

        function fillApplied(cell, row) {
          const behind = row.head - row.applied;
          setText(cell, countText(row.applied));
          setTitle(cell, isNumber(row.head)
            ? `applied ${countText(row.applied)} of ${countText(row.head)} batches, `
            + `in ${plural(row.streams, 'stream', 'streams')}` : plural(row.streams, 'stream', 'streams'));
          setData(cell, 'behind', behind > 0 ? behind : null);
        }

        function fillHoles(cell, row) {
          setText(cell, row.openHoles ? `${countText(row.openHoles)} open` : countText(row.holesFound));
          setTitle(cell, `${countText(row.holesFound)} found, ${countText(row.openHoles)} open`);
        }

        function peerColumns() {
          return [
            textColumn('Peer', row => row.name, null, 'name'),
            stateColumn('State', row => row.state, '104px'),
            numberColumn('Lag', row => secondsText(row.lagSeconds), '80px'),
            numberColumn('Heard', heardText, '92px'),
            textColumn('Key', row => row.key ?? none, '96px', 'words'),
            textColumn('Address', row => row.address ?? none, '164px', 'words mono'),
          ];
        }

        function typeColumns() {
          return [
            { title: 'Type', kind: 'name', make: () => h('a', {}), fill: (link, row) => {
              setText(link, row.type);
              setTitle(link, row.type.length > 14 ? row.type : '');
              link.setAttribute('href', routeTo('models', [row.type]));
            } },
            numberColumn('Models', row => countText(row.models), '70px'),
            numberColumn('Memory', row => bytesText(row.bytes), '72px'),
          ];
        }

        function queueColumns() {
          return [
            textColumn('Queue', row => row.queue, null, 'name'),
            { title: 'Full', width: '124px', kind: 'number', make: () => h('div', { class: 'full' },
              h('span', {}), h('progress', { max: 1, 'aria-hidden': 'true' })), fill: fillFull },
            numberColumn('In it', filledText, '144px'),
            numberColumn('Limit', row => isNumber(row.limit) ? amountText(row.limit, row.unit) : none, '104px'),
          ];
        }

        function amountText(value, unit) {
          return unit === 'bytes' ? bytesText(value) : `${countText(value)} ${unit ?? ''}`.trim();
        }

        /** How many are in a queue, and their bytes, as far as either is told. */
        function filledText(row) {
          const count = isNumber(row.count) ? amountText(row.count, row.unit === 'bytes' ? null : row.unit) : null;
          return [count, isNumber(row.bytes) ? bytesText(row.bytes) : null].filter(Boolean).join(', ') || none;
        }

        /** The part of its limit that a queue has filled; null where there is no limit, or it is not told. */
        function fullness(row) {
          const filled = row.unit === 'bytes' ? row.bytes : row.count;
          return isNumber(filled) && row.limit > 0 ? filled / row.limit : null;
        }

        const nearlyFull = 0.8;

        function fillFull(node, row) {
          const part = fullness(row), [text, bar] = node.children;
          const percent = part !== null && part > 0 && part < 0.01 ? '< 1 %' : `${Math.round(part * 100)} %`;
          setText(text, part === null ? none : percent);
          bar.hidden = part === null;
          bar.value = Math.min(1, part ?? 0);
          setData(node, 'full', part >= nearlyFull || null);
        }
        """#
}
