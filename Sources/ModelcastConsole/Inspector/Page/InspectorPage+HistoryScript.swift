extension InspectorPage {
    /// The part of the script that makes the history.
    static let historyScript = #"""

        // History: who wrote what, when, and what it replaced, as far back as the process keeps it.

        views.set('history', { title: 'History', make: root => new HistoryView(root) });

        const historyPage = 100, shortPage = 30, historyAtMost = 2000, lookPauseMax = 30 * second;

        /** The last changes that meet a filter (type, id, field, origin), newest first. */
        class HistoryList {
          constructor(filter, { isShort = false, told = () => {} } = {}) {
            Object.assign(this, { filter, isShort, told, changes: [], isLoading: false, next: null });
            Object.assign(this, { pause: second, nextLook: 0 });
            this.abort = new AbortController();
            this.list = h('ol', { class: 'history' });
            this.message = h('div', {});
            this.newer = h('button', { type: 'button', class: 'small newer', hidden: true, 'data-test': 'newer',
              onclick: () => this.again() }, 'There are newer changes: show them');
            this.older = h('button', { type: 'button', class: 'small', hidden: true, 'data-test': 'older',
              onclick: () => this.load() }, 'Older changes');
            this.node = h('div', { class: 'history-list' }, this.newer, this.list, this.message, this.older);
            if (!isShort) this.load();
          }

          close() {
            this.abort.abort();
          }

          change(filter) {
            this.filter = filter;
            this.again();
          }

          again() {
            this.abort.abort();
            this.abort = new AbortController();
            Object.assign(this, { changes: [], isLoading: false, isOutdated: false, next: null, pause: second });
            this.newer.hidden = true;
            this.load(true);
          }

          get pairs() {
            return ['type', 'id', 'field', 'origin'].map(name => [name, this.filter[name]]);
          }

          /** Loads the next older page, or with `isAnew` the newest one in the place of all. */
          async load(isAnew = false) {
            if (this.isLoading) {
              // Changes that came while an answer was on its way are asked for behind it.
              this.isOutdated ||= isAnew;
              return;
            }
            this.isLoading = true;
            const signal = this.abort.signal, before = isAnew ? null : this.next;
            try {
              const limit = this.isShort ? shortPage : historyPage;
              const page = await ask('v1/history', [...this.pairs, ['limit', limit], ['before', before]], signal);
              if (!signal.aborted) this.add(page, isAnew);
            } catch (error) {
              if (isAbort(error) || signal.aborted) return;
              showMessages(this.message, errorNote(error, 'History'));
            }
            this.isLoading = false;
            if (this.isOutdated) {
              this.isOutdated = false;
              this.load(true);
            }
          }

          add(page, isAnew) {
            const changes = listOf(page.changes);
            if (isAnew && changes.length && changes[0].number === this.changes[0]?.number) return;
            if (isAnew) this.list.replaceChildren();
            this.changes = isAnew ? changes : [...this.changes, ...changes];
            this.list.append(...changes.map(change => this.row(change)));
            this.next = page.next ?? null;
            const isEnd = this.next === null;
            this.older.hidden = isEnd || this.changes.length >= historyAtMost;
            this.message.replaceChildren(isEnd ? note(endText(page.kept, this.changes.length), {
              class: 'note dim', 'data-test': 'history-end' }) : '');
            this.told(page);
          }

          /** In the short form the newest take the place of all, unless older ones are being read. */
          refreshShort() {
            if (this.changes.length <= shortPage) this.load(true);
          }

          /** A button says that there are newer changes: rows do not move under a reader. */
          async refresh() {
            if (this.isLoading || !this.newer.hidden || performance.now() < this.nextLook) return;
            // Where a filter or a token leaves much out, the process looks through all that it keeps.
            const isNarrow = access.token !== null || this.pairs.some(pair => pair[1]);
            this.pause = isNarrow ? Math.min(this.pause * 2, lookPauseMax) : 0;
            this.nextLook = performance.now() + this.pause;
            try {
              const page = await ask('v1/history', [...this.pairs, ['limit', 1]], this.abort.signal);
              const newest = listOf(page.changes)[0]?.number ?? 0;
              this.newer.hidden = newest <= (this.changes[0]?.number ?? 0);
              this.told(page);
            } catch {
              // The list says itself what fails when it loads.
            }
          }

          row(change) {
            const time = timeOf(change.written), reason = reasonOf(change);
            const isGone = change.new === null;
            const fields = listOf(change.changed).filter(field =>
              !this.filter.field || field === this.filter.field);
            return h('li', { 'data-test': 'history-row', 'data-number': change.number, 'data-id': change.id,
              'data-row': true, tabindex: -1 },
            h('time', { datetime: change.written?.time, title: lagTitle(change) },
              timeText(time)),
            h('span', { class: 'who', 'data-test': 'history-origin' }, change.written?.origin ?? none),
            this.isShort ? null : h('a', { class: 'what', href: routeTo('models', [change.type, change.id]) },
              h('span', { class: 'dim' }, `${change.type} `), change.id),
            h('span', { class: 'reason', 'data-kind': stateKind(reason) }, reason),
            isGone && !fields.length ? null : h('ul', { class: 'diffs' }, fields.slice(0, 40).map(field => h('li', {
              'data-test': 'history-field', 'data-field': field },
                diffOf(field, change.old, change.new, this.linkOf(change)))),
            fields.length > 40 ? h('li', { class: 'dim' }, `and ${countText(fields.length - 40)} more fields`)
              : null));
          }

          /** A field's name leads to the history of that field alone. */
          linkOf(change) {
            return field => routeTo('history', [], [['type', change.type], ['id', change.id], ['field', field]]);
          }
        }

        /** `field old → new`. */
        function diffOf(field, old, fresh, link) {
          const name = link ? h('a', { class: 'field', href: link(field) }, field)
            : h('span', { class: 'field' }, field);
          const before = old === null ? undefined : fieldOf(old, field);
          const after = fresh === null ? undefined : fieldOf(fresh, field);
          return h('span', { class: 'diff' }, name, ' ',
            before === undefined ? null : [valueNode(before, { class: 'value old' }), ' → '],
            after === undefined ? h('span', { class: 'dim' }, 'removed') : valueNode(after));
        }

        /** A write is told as what it did; a model that ends or comes back by itself has a reason of its own. */
        function reasonOf({ reason, old, new: fresh, changed }) {
          if (reason !== 'written') return String(reason).replace('-', ' ');
          if (fresh === null) return 'deleted';
          return old === null || listOf(changed).length === 0 ? 'created' : 'changed';
        }

        /** The version of a change, and how long it took to be here. */
        function lagTitle({ written, applied }) {
          const lag = (Date.parse(applied ?? '') - timeOf(written)) / second;
          return `version ${written?.version ?? none}` + (lag >= 0 ? `, applied ${secondsText(lag)} later` : '');
        }

        /** The zone of the times, which are those of the reader. */
        function zoneText() {
          const minutes = -new Date().getTimezoneOffset(), size = Math.abs(minutes);
          const zone = [Math.floor(size / 60), size % 60].map(twoDigits).join(':');
          return ` Times are UTC${minutes < 0 ? '-' : '+'}${zone}, and those at which was written.`;
        }

        function endText(kept, count) {
          const since = timeOf({ time: kept?.since });
          const begin = since === null ? '' : ` What is kept begins at ${timeText(since, 0)}.`;
          return (count ? 'This is where it ends.' : 'No such change is kept.') + begin + zoneText();
        }

        class HistoryView {
          constructor(root) {
            this.inputs = new Map(['type', 'id', 'field', 'origin'].map(name => [name, h('input', {
              type: 'search', placeholder: name, 'aria-label': name, 'data-test': `history-${name}`,
                spellcheck: 'false',
              autocomplete: 'off' })]));
            this.kept = h('p', { class: 'dim', 'data-test': 'kept' });
            this.place = h('div', {});
            root.append(h('form', { class: 'line tools', onsubmit: event => this.submitted(event) },
              [...this.inputs.values()], h('button', { type: 'submit' }, 'Show'), h('span', { class: 'space' }),
                this.kept),
            this.place);
            this.timer = setInterval(() => document.hidden || this.list?.refresh(), 2 * second);
          }

          close() {
            clearInterval(this.timer);
            this.list?.close();
          }

          back() {
            this.list?.again();
          }

          route({ query }) {
            const filter = {};
            for (const [name, input] of this.inputs) input.value = filter[name] = query.get(name) ?? '';
            this.list?.close();
            this.list = new HistoryList(filter, { told: page => this.told(page) });
            this.place.replaceChildren(this.list.node);
          }

          submitted(event) {
            event.preventDefault();
            go('history', [], [...this.inputs].map(([name, input]) => [name, input.value.trim()]));
          }

          told({ kept }) {
            if (!kept) return;
            const since = timeOf({ time: kept.since });
            // How much is kept of all types is not for everybody.
            const amount = isNumber(kept.changes) ? `${plural(kept.changes, 'change', 'changes')} kept` : 'kept';
            const bytes = isNumber(kept.bytes) ? `, ${bytesText(kept.bytes)} of ${bytesText(kept.bytesMax)}` : '';
            setText(this.kept, `${amount}${since === null ? '' : ` since ${timeText(since, 0)}`}${bytes}; `
              + `asked at ${timeText(Date.now(), 0)}`);
          }

          search() {
            this.inputs.get('type').focus();
          }
        }
        """#
}
