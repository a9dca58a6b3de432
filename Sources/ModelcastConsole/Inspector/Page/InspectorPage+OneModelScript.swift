extension InspectorPage {
    /// The part of the script that makes the one model.
    static let oneModelScript = #"""

        /** One model: each field with who wrote it and when, its JSON, and its history. */
        class OneModel {
          constructor(type, id, leave) {
            Object.assign(this, { type, id, cells: [], rows: new Map() });
            this.abort = new AbortController();
            this.reading = new Pace(second, () => this.load());
            this.summary = h('p', { class: 'dim' });
            this.message = h('div', {});
            this.body = h('tbody', {});
            this.grid = h('table', { class: 'cells' }, h('caption', { class: 'hidden' }, 'Fields'),
              h('thead', {}, h('tr', {}, ['Field', 'Value', 'Written', 'By'].map(title => h('th', { scope: 'col' },
                title)))),
              this.body);
            this.raw = h('pre', { tabindex: 0, 'data-test': 'raw' });
            this.why = h('a', { class: 'button small', href: routeTo('history', [], [['type', type], ['id', id]]) },
              'All of its history');
            this.history = new HistoryList({ type, id, field: '' }, { isShort: true });
            this.node = h('div', { class: 'one', 'data-test': 'model', 'data-id': id },
              h('header', { class: 'line' }, h('div', { class: 'names' }, h('span', { class: 'dim' }, type),
                h('h2', { class: 'mono' }, id)), h('span', { class: 'space' }),
              h('button', { type: 'button', class: 'icon', 'aria-label': 'Close (Esc)', title: 'Close (Esc)',
                'data-test': 'close', onclick: leave }, '×')),
              this.summary, this.message, h('div', { class: 'scroll' }, this.grid),
              h('details', { class: 'raw' }, h('summary', {}, 'JSON'), copyButton(() => this.raw.textContent),
                this.raw),
              h('div', { class: 'line' }, h('h3', {}, 'History'), this.filter = h('span', { class: 'chips' }),
                h('span', { class: 'space' }), this.why), this.history.node);
            this.load();
            // A stream of its own: that of the table may have conditions which this model does not meet. At its
            // beginning the model is read again, as it may have changed before it was followed.
            this.stream = new EventStream([['type', type], ['id', id], ['state', 'none'], ['form', 'flat']],
              { told: name => name !== 'heartbeat' && this.changed(),
                state: name => name === 'waiting' && this.changed() });
          }

          close() {
            this.stream.close();
            this.abort.abort();
            this.reading.end();
            this.history.close();
          }

          /** It has changed: it is read again, at most once a second. */
          changed() {
            this.reading.ask();
          }

          async load() {
            const number = this.number = (this.number ?? 0) + 1;
            const [model, cells] = await Promise.all([
              this.read(modelPath('models', this.type, this.id), [['form', 'flat'], ...integersAsText]),
              this.read(modelPath('cells', this.type, this.id), [])]);
            if (this.abort.signal.aborted || number !== this.number) return;
            this.show(model, cells);
            this.history.refreshShort();
          }

          async read(path, pairs) {
            try {
              return { told: await ask(path, pairs, this.abort.signal) };
            } catch (error) {
              return { error };
            }
          }

          show(model, cells) {
            if (model.error instanceof NoAnswer) return;
            const isThere = !model.error;
            showMessages(this.message, this.missing(model), this.withoutCells(cells));
            this.told = cells.told ?? null;
            this.cells = this.told ? listOf(this.told.cells) : this.fieldsAlone(model.told);
            this.version = this.told?.touched ?? (isThere ? fromVersion(model.told.version) : null);
            this.isThere = isThere;
            this.grid.hidden = this.cells.length === 0;
            this.showCells();
            setText(this.raw, isThere ? jsonText(model.told.model, 2) : 'null');
            this.tick();
          }

          missing({ error }) {
            if (!error) return null;
            if (isEvicted(error)) return note(errorText(error), { 'data-test': 'absent' });
            const isUnknown = error instanceof Problem && error.status === 404;
            return isUnknown ? note('This model does not exist now.', { 'data-test': 'absent' })
              : errorNote(error, 'The model');
          }

          withoutCells({ error }) {
            if (!error || error instanceof NoAnswer || isAbort(error)) return null;
            if (isNotServed(error)) return notServed('Who wrote which field');
            return error.status === 404 ? null : errorNote(error, 'Who wrote which field');
          }

          fieldsAlone(told) {
            return membersOf(told?.model).map(([field, value]) => ({ field, value, written: null }));
          }

          showCells() {
            const rows = this.cells.map(cell => {
              const row = this.rows.get(cell.field) ?? this.makeRow(cell.field);
              const value = row.children[1].firstChild;
              const text = jsonText(cell.value);
              if (row.told !== undefined && row.told !== text) flash(row.children[1]);
              row.told = text;
              setData(value, 'kind', kindOf(cell.value));
              setText(value, typeof cell.value === 'string' ? valueText(cell.value) : jsonText(cell.value, 1));
              return row;
            });
            this.rows = new Map(this.cells.map((cell, index) => [cell.field, rows[index]]));
            if (rows.length !== this.body.children.length
              || rows.some((row, index) => this.body.children[index] !== row)) {
              this.body.replaceChildren(...rows);
            }
          }

          makeRow(field) {
            return h('tr', { 'data-test': 'field', 'data-field': field },
              h('th', { scope: 'row' }, h('button', { type: 'button', class: 'link',
                title: `Why: the history of ${field}`,
                onclick: () => this.chooseField(field) }, field)),
              h('td', {}, h('div', { class: 'value long' })), h('td', { class: 'when' }), h('td', {}));
          }

          chooseField(field) {
            const isSame = this.history.filter.field === field;
            const chosen = isSame ? '' : field;
            this.history.change({ type: this.type, id: this.id, field: chosen });
            this.why.href = routeTo('history', [], [['type', this.type], ['id', this.id], ['field', chosen]]);
            this.filter.replaceChildren(chosen === '' ? ''
              : h('span', { class: 'chip', 'data-test': 'why' }, chosen,
              h('button', { type: 'button', 'aria-label': 'All fields', onclick: () => this.chooseField(chosen) },
                '×')));
            for (const [name, row] of this.rows) setData(row, 'chosen', name === chosen || null);
          }

          /** Ages go on while nothing changes. */
          tick() {
            const now = processNow();
            for (const cell of this.cells) {
              const [, , when, who] = this.rows.get(cell.field).children;
              const time = timeOf(cell.written);
              setText(when, time === null ? none : agoText(now - time));
              setTitle(when, time === null ? '' : `${timeText(time)}, version ${cell.written.version}`);
              setText(who, cell.written?.origin ?? none);
            }
            const time = timeOf(this.version);
            const word = this.isThere ? 'last written' : 'ended';
            const size = isNumber(this.told?.bytes) ? `, ${bytesText(this.told.bytes)}` : '';
            setText(this.summary, time === null ? '' :
              `${word} ${agoText(now - time)} by ${this.version.origin}, ${timeText(time)}${size}`);
            setTitle(this.summary, this.version?.version ?? '');
          }
        }

        /** A version in the form of `written` of a cell, made of its text. */
        function fromVersion(text) {
          const version = versionOf(text);
          return version && { version: text, time: new Date(version.time).toISOString(), origin: version.origin };
        }

        function timeOf(written) {
          const time = Date.parse(written?.time ?? '');
          return Number.isNaN(time) ? null : time;
        }
        """#
}
