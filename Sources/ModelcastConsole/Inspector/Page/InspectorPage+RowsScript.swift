extension InspectorPage {
    /// The part of the script that makes the rows.
    static let rowsScript = #"""

        // A list of which only the rows that can be seen are in the document.

        const rowsAround = 6;

        /**
         * Rows of one height in a scroller, with a head that stays; `fill(row, index)` shows what stands at an
         * index.
         */
        class VirtualRows {
          constructor({ label, head, rowHeight, make, fill, open, nearEnd, moved }) {
            Object.assign(this, { rowHeight, make, fill, open, nearEnd, moved });
            Object.assign(this, { count: 0, selected: -1, shown: new Map(), free: [] });
            this.name = `rows-${VirtualRows.number += 1}`;
            this.body = h('div', { class: 'rows', role: 'rowgroup' });
            this.sheet = h('div', { class: 'sheet' }, head, this.body);
            this.node = h('div', {
              class: 'virtual', role: 'grid', 'aria-label': label, tabindex: 0, 'data-test': 'rows',
              onkeydown: event => this.key(event), onclick: event => this.click(event),
            }, this.sheet);
            this.node.addEventListener('scroll', () => this.scrolled(), { passive: true });
            this.watch = new ResizeObserver(() => this.show());
            this.watch.observe(this.node);
          }

          static number = 0;

          close() {
            this.watch.disconnect();
          }

          setCount(count, total = count) {
            this.count = count;
            this.body.style.height = `${count * this.rowHeight}px`;
            this.node.setAttribute('aria-rowcount', total < 0 ? -1 : total + 1);
            if (this.selected >= count) this.select(count - 1);
            this.show();
          }

          scrolled() {
            this.show();
            this.moved?.();
          }

          get isAtTop() {
            return this.node.scrollTop < this.rowHeight;
          }

          /** Shows the rows that can be seen; others give their elements back. */
          show() {
            const top = this.node.scrollTop, height = this.node.clientHeight;
            const first = Math.max(0, Math.floor(top / this.rowHeight) - rowsAround);
            const end = Math.min(this.count, Math.ceil((top + height) / this.rowHeight) + rowsAround);
            for (const [index, row] of this.shown) {
              if (index >= first && index < end) continue;
              this.shown.delete(index);
              this.free.push(row);
              row.hidden = true;
            }
            for (let index = first; index < end; index += 1) this.place(index);
            if (height && end >= this.count - 2 * rowsAround) this.nearEnd?.();
          }

          place(index) {
            let row = this.shown.get(index);
            if (!row) {
              row = this.free.pop() ?? this.addRow();
              row.hidden = false;
              row.id = `${this.name}-${index}`;
              row.style.transform = `translateY(${index * this.rowHeight}px)`;
              row.setAttribute('aria-rowindex', index + 2);
              row.fresh = true;
              this.shown.set(index, row);
            }
            row.setAttribute('aria-selected', index === this.selected);
            row.index = index;
            this.fill(row, index);
            row.fresh = false;
          }

          addRow() {
            const row = this.make();
            row.setAttribute('role', 'row');
            this.body.append(row);
            return row;
          }

          /** Throws all row elements away, as the columns are other ones. */
          reset() {
            for (const row of [...this.shown.values(), ...this.free]) row.remove();
            this.shown.clear();
            this.free = [];
          }

          select(index) {
            this.selected = index;
            if (index < 0) this.node.removeAttribute('aria-activedescendant');
            else this.node.setAttribute('aria-activedescendant', `${this.name}-${index}`);
          }

          /** Moves the selection, and brings it into sight. */
          move(by) {
            if (!this.count) return;
            const index = Math.min(this.count - 1, Math.max(0, this.selected + by));
            const head = this.node.clientHeight - this.headless();
            const top = index * this.rowHeight, view = this.node.scrollTop;
            if (top < view) this.node.scrollTop = top;
            if (top + this.rowHeight + head > view + this.node.clientHeight) {
              this.node.scrollTop = top + this.rowHeight + head - this.node.clientHeight;
            }
            this.select(index);
            this.show();
          }

          /** The height that is left for rows below the head. */
          headless() {
            return this.node.clientHeight - (this.sheet.firstElementChild?.offsetHeight ?? 0);
          }

          openSelected() {
            if (this.selected >= 0) this.open?.(this.selected);
          }

          click(event) {
            const row = event.target.closest('[role=row]');
            if (row?.index === undefined) return;
            this.select(row.index);
            this.show();
            this.open?.(row.index);
          }

          key(event) {
            const page = Math.max(1, Math.floor(this.node.clientHeight / this.rowHeight) - 2);
            const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.count,
              End: this.count };
            if (!Object.hasOwn(steps, event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            this.move(steps[event.key]);
          }
        }
        """#
}
