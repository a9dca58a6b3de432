extension InspectorPage {
    /// The part of the script that makes the models.
    static let modelsScript = #"""

        // Models: the models of one type as a table of which only what is seen is drawn, and one of them at the
        // side.

        views.set('models', { title: 'Models', make: root => new Models(root) });

        const pageSize = 300, modelsAtMost = 200_000, modelRowHeight = 28, columnsAtFirst = 10;
        const conditionForm = /^\s*([^\s!<>=][^!<>=]*?)\s*(!=|<=|>=|=|<|>)\s*(.*?)\s*$/s;

        /** The models of one question (type, prefix, conditions), as far as they are loaded. */
        class ModelPages {
          constructor(question) {
            Object.assign(this, { question, list: [], byID: new Map(), fields: new Map(), next: null });
            Object.assign(this, { isComplete: false, isLoading: false, error: null, created: new Set() });
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
              const pairs = [...this.pairs, ['after', this.next], ['limit', pageSize], ['form', 'flat'],
                ...integersAsText];
              this.add(await ask(modelPath('models', this.question.type), pairs, this.abort.signal));
            } catch (error) {
              if (isAbort(error)) return false;
              this.error = error;
            }
            this.isLoading = false;
            return true;
          }

          add(page) {
            for (const { id, model, version } of listOf(page.models)) {
              const known = this.byID.get(id);
              if (known) continue;
              this.created.delete(id);
              const row = { id, model, version, isDeleted: false, touched: new Map() };
              this.byID.set(id, row);
              this.list.push(row);
              for (const [field] of membersOf(model)) this.fields.set(field, (this.fields.get(field) ?? 0) + 1);
            }
            this.next = page.next ?? null;
            this.isComplete = this.next === null;
          }

          /** Applies a change to a loaded model. Returns its row; others are counted where they are new. */
          apply(change) {
            const row = this.byID.get(change.id);
            if (!row) {
              if (change.new && !change.old && this.matches(change.id)) this.created.add(change.id);
              if (!change.new) this.created.delete(change.id);
              return null;
            }
            if (change.new && !row.isDeleted && !isLater(change.version, row.version)) return null;
            Object.assign(row, { version: change.version, isDeleted: !change.new, model: change.new ?? row.model });
            const now = performance.now();
            for (const field of listOf(change.changed)) row.touched.set(field, now);
            return row;
          }

          matches(id) {
            return id.startsWith(this.question.prefix);
          }
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

        /** The types and how many models each has: a list at the side, a choice where it is narrow. */
        class TypeList {
          constructor() {
            this.list = h('ul', {});
            this.select = h('select', { 'aria-label': 'Type', onchange: () => go('models', [this.select.value]) });
            this.note = h('div', {});
            this.node = h('nav', { class: 'types', 'aria-label': 'Types' },
              h('h3', {}, 'Types'), this.list, this.select, this.note);
            this.types = [];
            this.isLoaded = false;
            this.timer = setInterval(() => document.hidden || this.load(), 3 * second);
          }

          close() {
            clearInterval(this.timer);
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
              this.note.replaceChildren(this.types.length ? '' : note('There are no models here yet.',
                { 'data-test': 'no-models' }));
            } catch (error) {
              if (!(error instanceof NoAnswer)) this.note.replaceChildren(errorNote(error, 'The list of types'));
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
              }, h('span', {}, row.type), h('span', { class: 'dim' }, countText(row.count))))));
              if (document.activeElement !== this.select) this.showChoice();
            }
            this.told?.(this.types);
          }

          showChoice() {
            this.select.replaceChildren(...this.types.map(row => h('option', {
              value: row.type, selected: row.type === this.chosen }, `${row.type} (${countText(row.count)})`)));
          }
        }
        """#
}
