extension InspectorPage {
    /// The part of the script that makes the parts.
    static let partsScript = #"""

        // States: each has a shape, a word and a colour, so that none of the three is needed to tell them apart.

        const stateKinds = {
          live: 'good', ready: 'good', pushing: 'good', equal: 'good', created: 'good',
          syncing: 'busy', repairing: 'busy', connecting: 'busy', changed: 'busy', apart: 'busy', renewing: 'busy',
          stale: 'bad', lost: 'bad', pausing: 'bad', failed: 'bad',
          refused: 'bad', different: 'bad', gone: 'bad', 'not ready': 'bad',
          deleted: 'ended', expired: 'ended', ended: 'ended',
        };

        const shapes = {
          good: 'M6 1.5a4.5 4.5 0 1 0 .01 0z',
          busy: 'M6 .8 11.2 6 6 11.2.8 6z',
          bad: 'M6 .7 11.6 10.8H.4z',
          ended: 'M2 2h8v8H2z',
          unknown: 'M6 1.5a4.5 4.5 0 1 0 .01 0zM6 3a3 3 0 1 1-.01 0z',
        };

        function stateKind(state) {
          if (typeof state !== 'string') return 'unknown';
          return Object.hasOwn(stateKinds, state) ? stateKinds[state] : 'unknown';
        }

        const badness = { bad: 0, busy: 1, unknown: 2, ended: 3, good: 4 };

        /** The worst state first. */
        function byBadness(one, other) {
          return badness[stateKind(one.state)] - badness[stateKind(other.state)];
        }

        /** The mark and the word of a state. */
        function stateNode(state) {
          const node = h('span', { class: 'state' },
            s('svg', { viewBox: '0 0 12 12', width: 10, height: 10, 'aria-hidden': 'true' }, s('path', {})),
            h('span', {}));
          setState(node, state);
          return node;
        }

        function setState(node, state, word = state ?? 'not told') {
          const kind = stateKind(state);
          setText(node.lastChild, word);
          if (node.dataset.state === kind) return;
          node.dataset.state = kind;
          node.querySelector('path').setAttribute('d', shapes[kind]);
        }

        // Messages.

        /** A sentence in the place of what cannot be shown. */
        function note(text, attributes) {
          return h('p', { class: 'note', ...attributes }, text);
        }

        function notServed(what) {
          return note(`${what} is not served by this process.`, { 'data-test': 'not-served' });
        }

        /** What an error leaves to be said. */
        function errorNote(error, what) {
          if (isNotServed(error)) return notServed(what);
          return note(errorText(error), { 'data-test': 'problem', role: 'alert' });
        }

        /** Shows messages in their place. The same ones again are left alone, as they would be read out again. */
        function showMessages(place, ...nodes) {
          const shown = nodes.filter(Boolean);
          if (place.textContent !== shown.map(node => node.textContent).join('')) place.replaceChildren(...shown);
        }

        /** A button that copies a text, and says whether it has. */
        function copyButton(text) {
          const button = h('button', { type: 'button', class: 'small', onclick: copy }, 'Copy');
          async function copy() {
            const done = await navigator.clipboard?.writeText(text()).then(() => true, () => false);
            button.textContent = done ? 'Copied' : 'Not allowed here: select it';
            setTimeout(() => button.textContent = 'Copy', 1600);
          }
          return button;
        }

        // Figures over the last two minutes.

        const seriesSeconds = 120;

        /** The samples of one figure, one a second; null where there was none. */
        class Series {
          samples = [];

          add(value) {
            const now = Date.now();
            this.samples.push({ time: now, value: isNumber(value) ? value : null });
            while (this.samples[0].time < now - seriesSeconds * second) this.samples.shift();
          }

          get last() {
            return this.samples.at(-1)?.value ?? null;
          }

          /** The seconds that the samples cover. */
          get span() {
            return this.samples.length ? Math.max(1, (Date.now() - this.samples[0].time) / second) : 0;
          }

          get peak() {
            return this.samples.reduce((peak, sample) => Math.max(peak, sample.value ?? 0), 0);
          }
        }

        /** A small line of a series; a gap in the samples is a gap in the line. */
        class Sparkline {
          constructor(label) {
            this.area = s('path', { class: 'area' });
            this.line = s('path', { class: 'line', 'vector-effect': 'non-scaling-stroke' });
            this.node = s('svg', {
              class: 'spark', viewBox: `0 0 ${seriesSeconds} 30`, preserveAspectRatio: 'none', role: 'img',
              'aria-label': `${label}, last two minutes`,
            }, this.area, this.line);
          }

          show(series) {
            const peak = series.peak || 1, now = Date.now();
            let line = '', area = '', begun = null, x = 0;
            const endRun = () => {
              if (begun !== null) area += `L${x} 30L${begun} 30Z`;
              begun = null;
            };
            for (const { time, value } of series.samples) {
              if (value === null) {
                endRun();
                continue;
              }
              x = (seriesSeconds - (now - time) / second).toFixed(1);
              const point = `${x} ${(28.5 - value / peak * 26).toFixed(1)}`;
              line += `${begun === null ? 'M' : 'L'}${point}`;
              area += `${begun === null ? 'M' : 'L'}${point}`;
              begun ??= x;
            }
            endRun();
            this.line.setAttribute('d', line);
            this.area.setAttribute('d', area);
          }
        }

        // Tables whose rows stay the same elements while their figures change.

        const rowsAtFirst = 12;

        /** A table of fixed columns: `{title, width, kind, make, fill(cell, row)}`. */
        class Table {
          constructor({ title, test, columns, key, empty, open }) {
            Object.assign(this, { columns, key, empty, open, test, rows: new Map(), isWhole: false, list: [] });
            const head = columns.map(column => h('th', { scope: 'col', class: column.kind }, column.title));
            this.body = h('tbody', {});
            this.note = note(empty ?? '');
            this.more = h('button', { type: 'button', class: 'small', onclick: () => this.showAll() });
            this.count = h('span', { class: 'dim' });
            const grid = h('table', {}, h('caption', { class: 'hidden' }, title),
              h('colgroup', {}, columns.map(column => h('col', { width: column.width }))),
              h('thead', {}, h('tr', {}, head)), this.body);
            const minimum = columns.reduce((sum, column) => sum + (parseInt(column.width, 10) || 80), 0);
            grid.style.minWidth = `${minimum}px`;
            this.wrap = h('div', { class: 'scroll', tabindex: -1 }, grid);
            this.node = h('section', { class: 'panel' },
              h('h3', {}, title, ' ', this.count), this.wrap, this.note, this.more);
          }

          showAll() {
            this.isWhole = true;
            this.update(this.list, this.total);
          }

          /** Shows the rows in their order; `total` is how many there are where not all are told. */
          update(list, total = list.length) {
            Object.assign(this, { list, total });
            const shown = this.isWhole ? list : list.slice(0, rowsAtFirst);
            const keys = new Set(shown.map(this.key));
            for (const [key, row] of this.rows) {
              if (keys.has(key)) continue;
              row.remove();
              this.rows.delete(key);
            }
            let next = this.body.firstChild;
            for (const item of shown) {
              const row = this.rows.get(this.key(item)) ?? this.makeRow(item);
              if (row === next) next = next.nextSibling;
              else this.body.insertBefore(row, next);
              this.fill(row, item);
            }
            setText(this.count, total ? countText(total) : '');
            this.wrap.hidden = !list.length;
            this.note.hidden = list.length > 0 || !this.empty;
            this.more.hidden = list.length <= shown.length;
            setText(this.more, `Show all ${countText(list.length)}`);
          }

          makeRow(item) {
            const cells = this.columns.map(column => {
              const inside = column.make?.();
              return h('td', { class: column.kind }, inside);
            });
            const open = this.open ? () => this.open(this.rows.get(this.key(row.item))?.item ?? row.item) : null;
            const row = h('tr', {
              'data-test': this.test, 'data-key': this.key(item), 'data-row': true, tabindex: -1,
              class: this.open ? 'opens' : null, onclick: open ?? (() => {}),
            }, cells);
            row.item = item;
            this.rows.set(this.key(item), row);
            return row;
          }

          fill(row, item) {
            row.item = item;
            this.columns.forEach((column, index) => {
              const cell = row.children[index];
              column.fill(column.make ? cell.firstChild : cell, item);
            });
          }
        }

        /** A column of a text. */
        function textColumn(title, text, width, kind) {
          return { title, width, kind, fill: (cell, row) => {
            const told = text(row) ?? none;
            setText(cell, told);
            setTitle(cell, told.length > 14 ? told : '');
          } };
        }

        function numberColumn(title, text, width) {
          return textColumn(title, text, width, 'number');
        }

        function stateColumn(title, state, width) {
          return { title, width, make: () => stateNode(null), fill: (node, row) => setState(node, state(row)) };
        }
        """#
}
