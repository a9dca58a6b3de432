extension InspectorPage {
    /// The part of the script that makes the model table.
    static let modelTableScript = #"""

        const characterWidth = 7.3;

        /** The table of the models of one question, kept current by the stream of that question. */
        class ModelTable {
          constructor(models) {
            this.models = models;
            this.question = { type: null, prefix: '', conditions: [] };
            this.columns = [];
            this.choice = null;
            this.prefix = h('input', {
              type: 'search', placeholder: 'id begins with', 'aria-label': 'Id begins with', 'data-test': 'prefix',
              spellcheck: 'false', autocomplete: 'off', oninput: () => this.typed() });
            this.condition = h('input', {
              type: 'text', placeholder: 'condition, as age>=30', 'aria-label': 'Add a condition',
              'data-test': 'condition', spellcheck: 'false', autocomplete: 'off',
                oninput: () => this.checkCondition() });
            this.chips = h('span', { class: 'chips' });
            this.picker = h('div', { class: 'picker-list', role: 'group', 'aria-label': 'Columns' });
            this.pick = h('details', { class: 'picker' }, h('summary', {}, 'Columns'), this.picker);
            this.pick.addEventListener('toggle', () => this.pick.open && this.showPicker());
            this.count = h('span', { class: 'count', 'data-test': 'count' });
            // The count is read out once for each question, not whenever it changes.
            this.spoken = h('span', { class: 'hidden', role: 'status' });
            this.live = h('span', { class: 'dim', 'data-test': 'live' });
            this.reload = h('button', { type: 'button', class: 'small', hidden: true, onclick: () =>
              this.again() });
            this.message = h('div', {});
            this.end = note(`This page loads no more than ${countText(modelsAtMost)} models of a question. Find others `
              + 'by how their id begins, or add a condition.', { 'data-test': 'rows-end', hidden: true });
            this.head = h('div', { class: 'row head', role: 'row', 'aria-rowindex': 1 });
            this.rows = new VirtualRows({
              label: 'Models', head: this.head, rowHeight: modelRowHeight,
              make: () => this.makeRow(), fill: (row, index) => this.fillRow(row, index),
              open: index => this.models.go([this.question.type, this.pages.list[index].id]),
              nearEnd: () => this.more(),
            });
            this.rows.sheet.append(this.end);
            this.typing = new Pace(200, () => this.change({ prefix: this.prefix.value }));
            this.drawing = new Pace(120, () => this.draw());
            this.node = h('section', { class: 'models', 'aria-label': 'Models' },
              h('form', { class: 'line tools', onsubmit: event => this.submitted(event) },
                // Without a button to submit with, Enter would do nothing in a form of two fields.
                this.prefix, this.condition, h('button', { type: 'submit', 'data-test': 'condition-add' }, 'Add'),
                this.chips, h('span', { class: 'space' }), this.pick),
              this.message, this.rows.node,
              h('footer', { class: 'line foot' }, this.count, this.spoken, this.reload, h('span', { class: 'space' }),
                this.live));
          }

          close() {
            clearTimeout(this.retry);
            this.pages?.abort.abort();
            this.stream?.close();
            this.rows.close();
            this.typing.end();
            this.drawing.end();
          }

          typed() {
            this.typing.end();
            this.typing.last = performance.now();
            this.typing.ask();
          }

          checkCondition() {
            const text = this.condition.value;
            this.condition.setCustomValidity(!text.trim() || conditionForm.test(text) ? '' :
              'A condition is a field, one of = != < <= > >=, and a value: age>=30');
          }

          submitted(event) {
            event.preventDefault();
            this.checkCondition();
            if (!this.condition.reportValidity()) return;
            const match = conditionForm.exec(this.condition.value);
            if (match) {
              this.condition.value = '';
              this.change({ conditions: [...this.question.conditions, match.slice(1).join('')] });
            } else {
              this.change({ prefix: this.prefix.value });
            }
          }

          /** Asks another question about the same type; the address says which. */
          change(part) {
            const { type, prefix, conditions } = { ...this.question, ...part };
            if (!type) return;
            go('models', [type], [['prefix', prefix], ...conditions.map(text => ['where', text])]);
          }

          ask(question) {
            if (JSON.stringify(question) === JSON.stringify(this.question)) return;
            if (question.type !== this.question.type) this.choice = null;
            this.question = question;
            if (this.prefix.value !== question.prefix) this.prefix.value = question.prefix;
            this.showChips();
            this.again();
          }

          showChips() {
            this.chips.replaceChildren(...this.question.conditions.map((text, index) => h('span', {
              class: 'chip', 'data-test': 'chip' }, text, h('button', {
              type: 'button', 'aria-label': `Remove the condition ${text}`, onclick: () => this.change({
                conditions: this.question.conditions.filter((_, place) => place !== index) }),
            }, '×'))));
          }

          /** Loads from the beginning, and follows what changes from now on. */
          again() {
            this.stream?.close();
            if (!this.question.type) return;
            this.clear();
            this.stream = new EventStream(
              [['type', this.question.type], ...this.question.conditions.map(text => ['where', text]),
                ['form', 'flat'], ['state', 'none'], ...integersAsText],
              { told: (name, data) => this.told(name, data),
                state: (name, error) => this.streamState(name, error) });
          }

          /** Throws away what is loaded. The first page is asked for when the stream is live. */
          clear() {
            this.pages?.abort.abort();
            clearTimeout(this.retry);
            this.pages = new ModelPages(this.question);
            Object.assign(this, { columns: [], mayLoad: false, isFollowing: false });
            this.rows.select(-1);
            this.rows.node.scrollTop = 0;
            this.rows.setCount(0);
            this.end.hidden = true;
            setText(this.spoken, '');
          }

          async more() {
            const pages = this.pages;
            if (!pages || !this.mayLoad || !await pages.load() || pages !== this.pages) return;
            showMessages(this.message, pages.error && errorNote(pages.error, 'The models'));
            this.chooseColumns();
            this.draw();
            if (!this.spoken.textContent) setText(this.spoken, this.count.textContent);
            if (pages.error) this.moreLater(pages);
          }

          /** Asks again for what a process that starts, or has much to do, could not answer. */
          moreLater(pages) {
            const { error } = pages;
            const isPassing = error instanceof NoAnswer || error instanceof Problem && error.status >= 500;
            if (!isPassing) return;
            this.retry = setTimeout(() => {
              pages.error = null;
              if (pages === this.pages) this.more();
            }, (error.retryAfterSeconds || 2) * second);
          }

          told(name, data) {
            if (name === 'live') return this.follow();
            if (name === 'reset') return this.clear();
            if (name !== 'change') return;
            // The first model of a type that was not there.
            if (this.pages.error?.status === 404) {
              this.clear();
              return this.follow();
            }
            this.pages.apply(parseJSON(data));
            this.drawing.ask();
          }

          streamState(name, error) {
            const texts = { open: 'follows changes', connecting: 'connecting', waiting: 'not followed: trying again' };
            setText(this.live, name !== 'refused' ? texts[name] : isNotServed(error)
              ? 'not live: not served by this process' : `not live: ${errorText(error)}`);
            this.live.dataset.on = name === 'open';
            if (name === 'refused' || name === 'waiting') this.begin();
          }

          /** Loads the first page once changes are followed, so that none falls between the two. */
          follow() {
            if (this.isFollowing) return;
            // What was loaded while nothing was followed may be old.
            if (this.mayLoad) this.clear();
            this.isFollowing = true;
            this.begin();
          }

          begin() {
            if (this.mayLoad) return;
            this.mayLoad = true;
            this.more();
          }

          draw() {
            const loaded = this.pages.list.length;
            this.rows.setCount(loaded, this.pages.isComplete ? loaded : this.total() ?? -1);
            this.end.hidden = !this.pages.isFull || this.pages.isComplete;
            this.showCount();
          }

          /** How many models there are; not known where a prefix or conditions leave some out. */
          total() {
            const isAll = !this.question.prefix && !this.question.conditions.length;
            return isAll ? this.models.types.count(this.question.type) : null;
          }

          showCount() {
            const pages = this.pages;
            if (!pages || pages.error) return setText(this.count, '');
            const loaded = countText(pages.list.length), total = this.total();
            let text = pages.isComplete ? `${plural(pages.list.length, 'model', 'models')}` :
              `loaded ${loaded}${isNumber(total) ? ` of ${countText(total)}` : ', more while you scroll'}`;
            if (pages.isFull && !pages.isComplete) text += '; find others by id or condition';
            if (pages.isComplete && !pages.list.length) text = pages.question.prefix
              || pages.question.conditions.length
              ? 'no model meets this' : 'no models';
            setText(this.count, text);
            const created = pages.isComplete ? pages.created.size : 0;
            this.reload.hidden = created === 0;
            const isMore = created === notedAtMost ? ' or more' : '';
            setText(this.reload, `${countText(created)}${isMore} new: load again`);
          }

          // Columns: the fields that occur, the most frequent first.

          chooseColumns() {
            const fields = [...this.pages.fields].sort((a, b) => b[1] - a[1]).map(([field]) => field);
            const columns = this.choice ? fields.filter(field => this.choice.has(field))
              : fields.slice(0, columnsAtFirst);
            if (JSON.stringify(columns) === JSON.stringify(this.columns) && this.head.children.length) return;
            this.columns = columns;
            this.rows.reset();
            this.rows.sheet.style.setProperty('--columns', this.widths().join(' '));
            this.head.replaceChildren(...['id', ...columns].map((field, index) => h('span', {
              role: 'columnheader', title: field, class: index && this.isNumeric(field) ? 'number' : null },
                field)));
            setText(this.pick.firstChild, fields.length > columns.length
              ? `Columns ${columns.length} of ${fields.length}` : 'Columns');
          }

          /** Widths by what stands in the first rows; what is left stays empty. */
          widths() {
            const some = this.pages.list.slice(0, 100);
            const width = (name, text) => {
              const longest = Math.max(name.length, ...some.map(row => text(row).length));
              return Math.round(Math.min(34, Math.max(6, longest)) * characterWidth) + 22;
            };
            const all = [width('id', row => row.id),
              ...this.columns.map(field => width(field, row => valueText(fieldOf(row.model, field))))];
            return [...all.map(pixels => `${pixels}px`), 'minmax(0, 1fr)'];
          }

          isNumeric(field) {
            const some = this.pages.list.slice(0, 20).map(row => kindOf(fieldOf(row.model, field)));
            return some.includes('number') && some.every(kind => kind === 'number' || kind === 'absent'
              || kind === 'null');
          }

          showPicker() {
            const fields = [...this.pages?.fields.keys() ?? []].sort();
            this.picker.replaceChildren(...fields.map(field => h('label', {},
              h('input', { type: 'checkbox', checked: this.columns.includes(field), onchange: event => {
                this.choice ??= new Set(this.columns);
                if (event.target.checked) this.choice.add(field);
                else this.choice.delete(field);
                this.chooseColumns();
                this.draw();
              } }), field)));
          }

          makeRow() {
            const cell = index => h('span', { role: 'gridcell', class: index ? 'value' : 'id' });
            const row = h('div', { class: 'row', 'data-test': 'row' },
              ['id', ...this.columns].map((_, index) => cell(index)),
              h('span', { role: 'gridcell', class: 'why', 'data-test': 'row-why' }));
            this.columns.forEach((field, index) => {
              row.children[index + 1].classList.toggle('number', this.isNumeric(field));
              Object.assign(row.children[index + 1].dataset, { test: 'cell', field });
            });
            return row;
          }

          fillRow(row, index) {
            const model = this.pages.list[index];
            const isOther = row.dataset.id !== model.id;
            setData(row, 'id', model.id);
            setData(row, 'open', this.models.one?.id === model.id || null);
            setData(row, 'gone', model.gone?.kind);
            setText(row.lastChild, model.gone?.text ?? '');
            if (model.gone) this.clearUp(model);
            setText(row.firstChild, model.id);
            setTitle(row.firstChild, model.id.length > 24 ? model.id : '');
            this.columns.forEach((field, place) => {
              const cell = row.children[place + 1];
              setValue(cell, fieldOf(model.model, field));
              this.flashCell(cell, model, field, isOther || row.fresh);
            });
          }

          async clearUp(model) {
            if (await this.pages.clearUp(model)) this.drawing.ask();
          }

          flashCell(cell, model, field, isOther) {
            const touched = model.touched.get(field);
            if (!isOther && touched && touched !== cell.flashed
              && performance.now() - touched < second) flash(cell);
            cell.flashed = touched;
          }
        }

        function fieldOf(model, field) {
          return model !== null && Object.hasOwn(model, field) ? model[field] : undefined;
        }
        """#
}
