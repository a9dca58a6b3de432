extension InspectorPage {
    /// The part of the script that makes the compare.
    static let compareScript = #"""

        // Compare: whether this copy is equal to that of a sender, and where it is not, what differs.

        views.set('compare', { title: 'Compare', make: root => new Compare(root) });

        const verdictTexts = {
          equal: 'equal',
          'equal-where-held': 'equal in what is here',
          different: 'different',
          apart: 'not comparable',
        };

        class Compare {
          constructor(root) {
            this.select = h('select', { id: 'compare-sender', 'data-test': 'compare-sender' });
            this.button = h('button', { type: 'submit', class: 'primary', 'data-test': 'compare' }, 'Compare');
            this.hint = h('p', { class: 'dim' });
            // The seconds are counted beside what is read out.
            this.running = h('p', { class: 'note', 'aria-hidden': 'true', hidden: true });
            this.answer = h('div', { class: 'answer', 'aria-live': 'polite' });
            this.abort = null;
            this.form = h('form', { class: 'line tools', onsubmit: event => this.submitted(event) },
              h('label', { for: 'compare-sender' }, 'This copy with that of'), this.select, this.button);
            root.append(this.form, this.hint, this.running, this.answer);
            setText(this.hint, 'Digests over all models are compared first; only where they differ are models '
              + 'fetched. It may take ten seconds.');
          }

          close() {
            this.abort?.abort();
          }

          status(status, error) {
            // The process compares the copy that it serves: that of the first service here that listens.
            const senders = listOf(services().find(service => Array.isArray(service.senders))?.senders);
            const told = JSON.stringify([senders.map(sender => [sender.sender, sender.name, sender.state]),
              error?.detail]);
            if (this.told === told) return;
            this.told = told;
            const chosen = this.select.value;
            this.select.replaceChildren(...senders.map(sender => h('option', { value: sender.sender,
              selected: String(sender.sender) === chosen },
            `${sender.name || `sender ${sender.sender}`} (${sender.state})`)));
            this.form.hidden = senders.length === 0;
            if (!senders.length) {
              this.answer.replaceChildren(error ? errorNote(error, 'The status, which names the senders,') :
                note('This process listens to no sender: there is nothing to compare with.'));
            }
          }

          async submitted(event) {
            event.preventDefault();
            if (this.abort) return;
            this.abort = new AbortController();
            this.button.disabled = true;
            const begun = performance.now();
            const tick = setInterval(() => this.progress(performance.now() - begun), 200);
            this.answer.replaceChildren(h('p', { class: 'hidden' }, 'Comparing'));
            this.running.hidden = false;
            this.progress(0);
            try {
              this.show(await ask('v1/comparison', [['sender', this.select.value]], this.abort.signal));
            } catch (error) {
              if (!isAbort(error)) this.answer.replaceChildren(errorNote(error, 'Comparison'));
            }
            clearInterval(tick);
            this.running.hidden = true;
            this.abort = null;
            this.button.disabled = false;
          }

          progress(milliseconds) {
            setText(this.running, `Comparing for ${durationText(milliseconds / second)}.`);
          }

          show(told) {
            const types = listOf(told.types), unequal = types.filter(type => !type.verdict.startsWith('equal'));
            const count = types.reduce((sum, type) => sum + (type.differencesCount || 0), 0);
            const different = types.filter(type => type.verdict === 'different').length;
            const verdict = different ? 'different' : unequal.length ? 'apart' : 'equal';
            const title = stateNode(verdict);
            setText(title.lastChild, {
              equal: `Equal to ${told.with}`,
              different: `${plural(count, 'difference', 'differences')} from ${told.with}`,
              apart: `Not comparable with ${told.with}: each type says why`,
            }[verdict]);
            this.answer.replaceChildren(
              h('h1', { class: 'calm', 'data-test': 'compare-verdict', 'data-verdict': verdict }, title),
              h('p', { class: 'dim' },
                `${plural(types.length, 'type', 'types')}, compared in ${secondsText(told.seconds)} at `
                + `${timeText(Date.now(), 0)}`),
              ...types.sort((a, b) => (a.verdict === 'equal') - (b.verdict === 'equal')).map(type =>
                this.type(type, told.with)));
          }

          type(type, other) {
            const text = Object.hasOwn(verdictTexts, type.verdict) ? verdictTexts[type.verdict] : type.verdict;
            const state = stateNode(type.verdict);
            setText(state.lastChild, text);
            const differences = listOf(type.differences);
            return h('section', { class: 'panel', 'data-test': 'compare-type', 'data-type': type.type,
              'data-verdict': type.verdict },
            h('h3', { class: 'line' }, h('span', { class: 'mono' }, type.type), state,
              h('span', { class: 'space' }),
              type.digest ? h('code', { title: 'Digest of both copies' }, type.digest) : null),
            type.here || type.there ? h('dl', { class: 'pairs' },
              h('div', {}, h('dt', {}, 'here'), h('dd', {}, type.here ?? none)),
              h('div', {}, h('dt', {}, other), h('dd', {}, type.there ?? none))) : null,
            differences.length ? this.table(type.type, differences, other) : null,
            type.differencesCount > differences.length
              ? note(`and ${countText(type.differencesCount - differences.length)} more`) : null);
          }

          table(type, differences, other) {
            let last = null;
            const rows = differences.map(difference => {
              const isSame = difference.id === last;
              last = difference.id;
              return h('tr', { 'data-test': 'difference', 'data-id': difference.id,
                'data-field': difference.field },
                h('td', {}, isSame ? null : h('a', { class: 'mono', href: routeTo('models', [type,
                  difference.id]) },
                  difference.id)),
                h('td', { class: 'mono' }, difference.field ?? partTexts[difference.part] ?? difference.part),
                this.side(difference.here), this.side(difference.there));
            });
            return h('div', { class: 'scroll' }, h('table', { class: 'differences' },
              h('thead', {}, h('tr', {}, ['Model', 'Field', 'Here', other].map(title => h('th', { scope: 'col' },
                title)))),
              h('tbody', {}, rows)));
          }

          side(side) {
            if (!side) return h('td', { class: 'dim' }, 'not there');
            const time = timeOf(side.written);
            return h('td', {}, valueNode(side.value), h('div', { class: 'dim small-text',
              title: side.written?.version },
              time === null ? '' : `${timeText(time)} by ${side.written.origin}`));
          }
        }

        const partTexts = { model: 'the model', touched: 'last touched', floor: 'deleted up to' };
        """#
}
