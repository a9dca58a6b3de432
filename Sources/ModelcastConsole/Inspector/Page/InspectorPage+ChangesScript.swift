extension InspectorPage {
    /// The part of the script that makes the changes.
    static let changesScript = #"""

        // Changes: what happens now. Bounded in rows and in work: what comes faster is counted, and passed over.

        views.set('changes', { title: 'Changes', make: root => new Changes(root) });

        const feedRows = 500, feedRowHeight = 26, feedPace = 125;

        class Changes {
          constructor(root) {
            Object.assign(this, { rows: [], waiting: [], arrived: 0, passed: 0, total: 0, isPaused: false });
            this.rate = new Series();
            this.spark = new Sparkline('Changes a second');
            this.inputs = this.makeInputs();
            this.pauseButton = h('button', { type: 'button', 'data-test': 'pause', 'aria-pressed': 'false',
              onclick: () => this.pause(!this.isPaused) }, 'Pause');
            this.figure = h('span', { class: 'count', 'data-test': 'feed-rate' });
            // The word is read out; the numbers beside it change all the time.
            this.word = h('span', { role: 'status' });
            this.numbers = h('span', {});
            this.state = h('span', { class: 'dim', 'data-test': 'feed-state' }, this.word, this.numbers);
            this.message = h('div', {});
            this.feed = new VirtualRows({
              label: 'Changes', rowHeight: feedRowHeight, head: this.head(),
              make: () => this.makeRow(), fill: (row, index) => this.fillRow(row, index),
              open: index => this.open(index), moved: () => this.moved(),
            });
            this.feed.node.classList.add('feed');
            this.drawing = new Pace(feedPace, () => this.draw());
            root.append(h('form', { class: 'line tools', onsubmit: event => this.submitted(event) },
              [...this.inputs.values()], h('button', { type: 'submit' }, 'Follow'), h('span', { class: 'space' }),
              this.spark.node, this.figure, this.pauseButton),
            this.message, this.feed.node, h('footer', { class: 'line foot' }, this.state));
            this.timer = setInterval(() => this.measure(), second);
          }

          makeInputs() {
            const input = (name, placeholder) => [name, h('input', { type: 'search', placeholder,
              'aria-label': placeholder,
              'data-test': `feed-${name}`, spellcheck: 'false', autocomplete: 'off' })];
            return new Map([input('type', 'type'), input('id', 'id'), input('where', 'condition, as age>=30')]);
          }

          head() {
            return h('div', { class: 'row head', role: 'row', 'aria-rowindex': 1 },
              ['Time', 'What', 'Type', 'Id', 'Changed', 'By'].map(title => h('span', { role: 'columnheader' },
                title)));
          }

          close() {
            clearInterval(this.timer);
            this.stream?.close();
            this.feed.close();
            this.drawing.end();
          }

          /** The filters of the address; several types, ids or conditions are told apart by commas. */
          route({ query }) {
            const pairs = [];
            for (const [name, input] of this.inputs) {
              input.value = query.get(name) ?? '';
              for (const part of partsOf(input.value)) pairs.push([name, part]);
            }
            this.stream?.close();
            Object.assign(this, { rows: [], waiting: [], passed: 0, total: 0, gaps: 0, isReady: true });
            this.message.replaceChildren();
            this.stream = new EventStream([...pairs, ['state', 'none'], ['form', 'flat'], ...integersAsText],
              { told: (name, data) => this.told(name, data),
                state: (name, error) => this.streamState(name, error) });
            this.draw();
          }

          submitted(event) {
            event.preventDefault();
            go('changes', [], [...this.inputs].map(([name, input]) => [name, input.value.trim()]));
          }

          /** Keeps what has come unparsed: of 10,000 a second most are never drawn. */
          told(name, data) {
            if (name === 'live' || name === 'heartbeat') {
              this.isReady = parseJSON(data).ready !== false;
              this.showState();
            }
            if (name === 'reset') {
              this.gaps += 1;
              this.keep(JSON.stringify({ gap: parseJSON(data).reason ?? null, time: Date.now() }));
            }
            if (name !== 'change') return;
            this.arrived += 1;
            this.total += 1;
            this.keep(data);
          }

          keep(data) {
            this.waiting.push(data);
            if (this.waiting.length > 2 * feedRows) {
              this.passed += this.waiting.length - feedRows;
              this.waiting = this.waiting.slice(-feedRows);
            }
            if (!this.isHeld) this.drawing.ask();
          }

          get isHeld() {
            return this.isPaused || !this.feed.isAtTop;
          }

          draw() {
            if (!this.isHeld) {
              if (this.waiting.length > feedRows) this.passed += this.waiting.length - feedRows;
              const fresh = this.waiting.slice(-feedRows).map(parseJSON).reverse();
              this.waiting = [];
              this.rows = [...fresh, ...this.rows].slice(0, feedRows);
              this.feed.select(-1);
            }
            this.feed.setCount(this.rows.length);
            this.showState();
          }

          measure() {
            this.rate.add(this.stream && this.arrived);
            this.arrived = 0;
            this.spark.show(this.rate);
            setText(this.figure, `${rateText(this.rate.last)} a second`);
            this.showState();
          }

          showState() {
            const held = this.waiting.length >= feedRows ? `${countText(feedRows)} or more`
              : countText(this.waiting.length);
            const isOld = this.streamWord === 'live' && !this.isReady;
            const word = isOld ? 'live, but this copy is not ready and may be old' : this.streamWord;
            const why = this.isPaused ? 'paused' : this.feed.isAtTop ? word
              : 'held while you read: scroll up to go on';
            setText(this.word, why ?? '');
            const parts = ['', this.isHeld && `${held} wait`, `${countText(this.total)} came`,
              this.gaps > 0 && `${plural(this.gaps, 'gap', 'gaps')}`,
              this.passed > 0 && `${countText(this.passed)} passed over, as they came faster than this page draws`];
            setText(this.numbers, parts.filter(part => part !== false).join(' · '));
          }

          streamState(name, error) {
            this.streamWord = { open: 'live', connecting: 'connecting', waiting: 'not live: trying again',
              refused: 'refused' }[name];
            showMessages(this.message, name === 'refused' && errorNote(error, 'The feed of changes without the state'));
            this.showState();
          }

          pause(isPaused) {
            this.isPaused = isPaused;
            this.pauseButton.setAttribute('aria-pressed', isPaused);
            setText(this.pauseButton, isPaused ? 'Go on' : 'Pause');
            this.draw();
          }

          moved() {
            if (this.feed.isAtTop && this.waiting.length) this.drawing.ask();
            else this.showState();
          }

          makeRow() {
            return h('div', { class: 'row', 'data-test': 'feed-row' },
              ['time', 'reason', 'type', 'id', 'diffs', 'who']
              .map(name => h('span', { role: 'gridcell', class: name })));
          }

          /** A row element shows another change each time: only what it did not show before is made anew. */
          fillRow(row, index) {
            const change = this.rows[index];
            if (row.change === change) return;
            row.change = change;
            const isGap = change.gap !== undefined;
            setData(row, 'gap', isGap || null);
            if (isGap) return this.fillGap(row, change);
            const [time, what, type, id, diffs, who] = row.children;
            const kind = change.new === null ? 'deleted' : change.old === null ? 'created' : 'changed';
            setData(row, 'id', change.id);
            setText(time, timeText(versionOf(change.version)?.time ?? NaN));
            setText(what, change.reason ?? kind);
            setData(what, 'kind', stateKind(kind));
            setText(type, change.type);
            setText(id, change.id);
            setText(who, change.origin ?? none);
            const names = listOf(change.changed).slice(0, 6), more = listOf(change.changed).length - names.length;
            diffs.replaceChildren(...names.map(field => diffOf(field, change.old, change.new)),
              more > 0 ? h('span', { class: 'dim' }, `and ${countText(more)} more`) : '');
          }

          /** A place at which changes are missing: the connection was lost, and the stream could not go on. */
          fillGap(row, { gap, time: at }) {
            const [time, what, type, id, diffs, who] = row.children;
            for (const cell of [type, id, who]) setText(cell, '');
            setData(row, 'id', null);
            setText(time, timeText(at));
            setText(what, 'gap');
            setData(what, 'kind', 'bad');
            diffs.replaceChildren(visible(`changes are missing here${gap === null ? '' : `: ${gap}`}`));
          }

          open(index) {
            const { type, id } = this.rows[index];
            if (type !== undefined) go('models', [type, id]);
          }

          search() {
            this.inputs.get('type').focus();
          }

          move(by) {
            if (!this.isPaused) this.pause(true);
            this.feed.move(by);
          }

          enter() {
            this.feed.openSelected();
          }

          escape() {
            if (this.isPaused) this.pause(false);
            return true;
          }
        }

        function partsOf(text) {
          return text.split(',').map(part => part.trim()).filter(Boolean);
        }
        """#
}
