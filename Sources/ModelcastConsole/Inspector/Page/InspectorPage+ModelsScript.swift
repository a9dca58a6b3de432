extension InspectorPage {
    /// The part of the script that makes the models.
    static let modelsScript = #"""

        // Models: the models of one type as a table of which only what is seen is drawn, and one of them at the
        // side.

        views.set('models', { title: 'Models', make: root => new Models(root) });

        const pageSize = 300, modelsAtMost = 200_000, modelRowHeight = 28, columnsAtFirst = 10;
        const notedAtMost = 10_000, pageTries = 3, clearingAtMost = 4;
        const conditionForm = /^\s*([^\s!<>=][^!<>=]*?)\s*(!=|<=|>=|=|<|>)\s*(.*?)\s*$/s;

        /**
         * The models of one question (type, prefix, conditions), as far as they are loaded.
         *
         * A page is a state of some moment, and changes come beside it by the stream. Those that come while a page is
         * on its way are noted, and applied to its rows behind it.
         */
        class ModelPages {
          constructor(question) {
            Object.assign(this, { question, list: [], byID: new Map(), fields: new Map(), next: null });
            Object.assign(this, { isComplete: false, isLoading: false, error: null, created: new Set() });
            Object.assign(this, { early: new Map(), hasTooMany: false });
            this.abort = new AbortController();
          }

          get pairs() {
            return [['prefix', this.question.prefix], ...this.question.conditions.map(text => ['where', text])];
          }

          get isFull() {
            return this.list.length >= modelsAtMost;
          }

          /** Loads the next page, where there is one that is not on its way. */
          async load() {
            if (this.isLoading || this.isComplete || this.isFull || this.error) return false;
            this.isLoading = true;
            try {
              this.add(await this.page());
            } catch (error) {
              if (isAbort(error)) return false;
              this.error = error;
            }
            this.early.clear();
            this.isLoading = false;
            return true;
          }

          /** The next page. It is asked for anew where more has changed beside it than is noted. */
          async page() {
            const pairs = [...this.pairs, ['after', this.next], ['limit', pageSize], ['form', 'flat'],
              ...integersAsText];
            for (let tries = 0; tries < pageTries; tries += 1) {
              this.early.clear();
              this.hasTooMany = false;
              const page = await ask(modelPath('models', this.question.type), pairs, this.abort.signal);
              if (!this.hasTooMany) return page;
            }
            throw new Problem(503, 'models change faster than they are loaded here: this is tried again by itself', 2);
          }

          add(page) {
            for (const { id, model, version } of listOf(page.models)) {
              if (this.byID.has(id)) continue;
              this.created.delete(id);
              const row = { id, model, version, gone: null, touched: new Map() };
              this.byID.set(id, row);
              this.list.push(row);
              for (const [field] of membersOf(model)) this.fields.set(field, (this.fields.get(field) ?? 0) + 1);
            }
            this.next = page.next ?? null;
            this.isComplete = this.next === null;
            for (const change of this.early.values()) this.apply(change);
          }

          /** Applies a change to its row. One without a row is noted for the page that is on its way. */
          apply(change) {
            const row = this.byID.get(change.id);
            if (!row) return this.note(change);
            // Of the same version are an eviction, and a late write of one field below it.
            if (!row.gone && isOlder(change.version, row.version)) return;
            Object.assign(row, { version: change.version, gone: this.goneOf(change), model: change.new ?? row.model });
            const now = performance.now();
            for (const field of listOf(change.changed)) row.touched.set(field, now);
          }

          /** Both notes have a bound: where the first is full the page is asked for anew, the second counts no more. */
          note(change) {
            if (this.isLoading) {
              if (this.early.size < notedAtMost || this.early.has(change.id)) this.early.set(change.id, change);
              else this.hasTooMany = true;
            }
            if (!change.new) this.created.delete(change.id);
            else if (!change.old && this.matches(change.id) && this.created.size < notedAtMost) {
              this.created.add(change.id);
            }
          }

          /** Why a row is not there any more; null where it is. */
          goneOf(change) {
            if (change.new) return null;
            if (change.reason === 'evicted') return goneKinds.evicted;
            if (change.reason) return { kind: 'deleted', text: String(change.reason).replace('-', ' ') };
            return this.question.conditions.length ? goneKinds.unclear : goneKinds.deleted;
          }

          /**
           * Finds out about a row of which the stream says only that it is not one of those that are asked for: a
           * model that exists meets the conditions no more. Returns whether something is known now.
           */
          async clearUp(row) {
            if (row.gone !== goneKinds.unclear || this.clearing >= clearingAtMost) return false;
            this.clearing += 1;
            row.gone = goneKinds.asked;
            const path = modelPath('models', this.question.type, row.id);
            const found = await ask(path, [], this.abort.signal).then(() => goneKinds.unmet, error => {
              if (!(error instanceof Problem) || error.status !== 404) return goneKinds.unclear;
              return isEvicted(error) ? goneKinds.evicted : goneKinds.deleted;
            });
            this.clearing -= 1;
            if (row.gone === goneKinds.asked) row.gone = found;
            return found !== goneKinds.unclear;
          }

          clearing = 0;

          matches(id) {
            return id.startsWith(this.question.prefix);
          }
        }

        const unclearText = 'deleted, or meets the conditions no more';

        const goneKinds = {
          deleted: { kind: 'deleted', text: 'deleted' },
          evicted: { kind: 'evicted', text: 'has left this copy, which does not hold all' },
          unmet: { kind: 'unmet', text: 'meets the conditions no more' },
          unclear: { kind: 'unclear', text: unclearText },
          asked: { kind: 'unclear', text: unclearText },
        };

        /** Whether a model is missed because this copy does not hold all. */
        function isEvicted(error) {
          return error instanceof Problem && error.status === 404 && /is not in this copy/.test(error.detail);
        }

        class Models {
          constructor(root) {
            this.types = new TypeList();
            this.table = new ModelTable(this);
            this.detail = h('aside', { class: 'detail', 'aria-label': 'Model', hidden: true });
            this.split = h('div', { class: 'split' }, this.types.node, this.table.node, this.detail);
            root.append(this.split);
            this.one = null;
          }

          close() {
            this.types.close();
            this.table.close();
            this.one?.close();
          }

          status() {
            this.table.showCount();
            this.one?.tick();
          }

          back() {
            this.types.load();
            this.table.again();
            this.one?.load();
          }

          route({ parts: [type, id], query }) {
            const question = { type: type ?? null, prefix: query.get('prefix') ?? '',
              conditions: query.getAll('where') };
            this.types.choose(question.type, types => {
              if (!question.type && types.length) amend('models', [types[0].type]);
              if (!question.type && types.length) openRoute();
            });
            this.table.ask(question);
            this.openModel(type, id);
          }

          openModel(type, id) {
            if (this.one?.type === type && this.one?.id === id) return;
            this.one?.close();
            this.one = null;
            this.detail.hidden = id === undefined;
            this.split.classList.toggle('with-detail', id !== undefined);
            if (id === undefined) return this.table.rows.show();
            this.one = new OneModel(type, id, () => this.leaveModel());
            this.detail.replaceChildren(this.one.node);
            this.table.rows.show();
          }

          leaveModel() {
            this.go([this.table.question.type]);
            this.table.rows.node.focus();
          }

          /** Goes to a model, or to its table, with the same question. */
          go(parts) {
            go('models', parts, this.questionPairs());
          }

          questionPairs() {
            const { prefix, conditions } = this.table.question;
            return [['prefix', prefix], ...conditions.map(text => ['where', text])];
          }

          search() {
            this.table.prefix.focus();
            this.table.prefix.select();
          }

          move(by) {
            this.table.rows.move(by);
          }

          enter() {
            this.table.rows.openSelected();
          }

          escape() {
            if (!this.one) return false;
            this.leaveModel();
            return true;
          }
        }

        /**
         * The types, how many models each has and what they take: a list at the side, a choice where it is narrow.
         */
        class TypeList {
          constructor() {
            this.list = h('ul', {});
            this.select = h('select', { 'aria-label': 'Type', onchange: () => go('models', [this.select.value]) });
            this.note = h('div', {});
            this.sum = h('p', { class: 'dim sum', 'data-test': 'types-sum' });
            this.node = h('nav', { class: 'types', 'aria-label': 'Types' },
              h('h3', {}, 'Types'), this.list, this.select, this.sum, this.note);
            this.types = [];
            this.isLoaded = false;
            this.timer = setInterval(() => document.hidden || this.load(), 3 * second);
          }

          close() {
            clearInterval(this.timer);
            // An answer that comes now must not lead to a view that has been left.
            this.told = null;
          }

          choose(type, told) {
            this.chosen = type;
            this.told = told;
            if (this.isLoaded) this.show();
            else this.load();
          }

          async load() {
            try {
              this.types = listOf((await ask('v1/types')).types);
              this.isLoaded = true;
              showMessages(this.note, this.types.length ? null : note('There are no models here yet.',
                { 'data-test': 'no-models' }));
            } catch (error) {
              if (!(error instanceof NoAnswer)) showMessages(this.note, errorNote(error, 'The list of types'));
            }
            this.show();
          }

          count(type) {
            return this.types.find(row => row.type === type)?.count ?? null;
          }

          show() {
            const told = JSON.stringify([this.chosen, this.types]);
            if (this.shown !== told) {
              this.shown = told;
              this.list.replaceChildren(...this.types.map(row => h('li', {}, h('a', {
                href: routeTo('models', [row.type]), 'data-test': 'type', 'data-type': row.type,
                'aria-current': row.type === this.chosen ? 'true' : null,
                title: row.type.length > 20 ? row.type : null,
              }, h('span', {}, row.type), h('span', { class: 'dim' }, countText(row.count)),
              isNumber(row.bytes) ? h('span', { class: 'dim size' }, bytesText(row.bytes)) : null))));
              setText(this.sum, this.types.length ? this.sumText() : '');
              if (document.activeElement !== this.select) this.showChoice();
            }
            this.told?.(this.types);
          }

          /** All together. Bytes are an estimate, and an older process tells none. */
          sumText() {
            const sum = name => this.types.reduce((all, row) => all + (row[name] || 0), 0);
            const bytes = this.types.some(row => isNumber(row.bytes)) ? `, about ${bytesText(sum('bytes'))}` : '';
            return `${plural(sum('count'), 'model', 'models')}${bytes}`;
          }

          showChoice() {
            this.select.replaceChildren(...this.types.map(row => h('option', {
              value: row.type, selected: row.type === this.chosen }, `${row.type} (${countText(row.count)}`
              + `${isNumber(row.bytes) ? `, ${bytesText(row.bytes)}` : ''})`)));
          }
        }
        """#
}
