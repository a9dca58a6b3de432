extension InspectorPage {
    /// The part of the script that makes the start.
    static let startScript = #"""

        // The keys, light and dark, and the beginning.

        const keyTexts = [
          ['1 – 6', 'the views'], ['/', 'search'], ['j, k', 'next and previous row'], ['Enter', 'open the row'],
          ['Esc', 'close, or leave a field'], ['t', 'light or dark'], ['?', 'these keys'],
        ];

        /** Whether a key belongs to what has the focus: a field that is being typed in, or an open dialog. */
        function isTaken(event) {
          return event.ctrlKey || event.metaKey || event.altKey || by('help').open
            || event.target.closest('input, select, textarea') !== null;
        }

        function pressed(event) {
          if (event.key === 'Escape') return escape(event);
          if (isTaken(event) || !by('keys-on').checked) return;
          const act = keyActs(event.key);
          if (!act) return;
          act(event);
          event.preventDefault();
        }

        function keyActs(key) {
          const names = [...views.keys()];
          if (/^[1-9]$/.test(key)) return names[key - 1] && (() => go(names[key - 1]));
          if (key === 'j') return () => moveRow(1);
          if (key === 'k') return () => moveRow(-1);
          if (key === 't') return nextTheme;
          if (key === '?') return () => by('help').showModal();
          if (key === '/') return () => search();
          return null;
        }

        /** Enter opens the chosen row, where nothing that has the focus does something of its own. */
        function entered(event) {
          if (event.key !== 'Enter' || isTaken(event)) return;
          if (event.target.closest('a, button, summary, [role=button]')) return;
          if (shell.view?.enter) shell.view.enter();
          else if (event.target.dataset.row !== undefined) openRow(event.target);
        }

        function openRow(row) {
          const link = row.querySelector('a.what');
          if (link) link.click();
          else row.click();
        }

        function escape(event) {
          if (by('help').open) return;
          const field = event.target.closest('input, select, textarea');
          if (field) field.blur();
          else shell.view?.escape?.();
        }

        /** Moves by a row: in the view's own list, or over what counts as a row in the document. */
        function moveRow(by) {
          if (shell.view?.move) return shell.view.move(by);
          const rows = [...document.querySelectorAll('main [data-row]')].filter(row => row.offsetParent);
          const at = rows.indexOf(document.activeElement.closest('[data-row]'));
          rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
        }

        function search() {
          if (shell.view?.search) return shell.view.search();
          go('models');
          shell.view?.search?.();
        }

        // Keys without Ctrl or the like get in the way of a reader who dictates: they can be switched off.

        const keysKey = 'modelcast.keys';

        function makeKeys() {
          by('keys').append(...keyTexts.map(([key, text]) =>
            h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, text))));
          by('keys-on').checked = stored(local, keysKey) !== 'off';
          by('keys-on').onchange = () => store(local, keysKey, by('keys-on').checked ? null : 'off');
        }

        // Light and dark: as the system says, unless the reader has chosen.

        const themeKey = 'modelcast.theme';

        function showTheme(theme) {
          if (theme) document.documentElement.dataset.theme = theme;
          else delete document.documentElement.dataset.theme;
        }

        /** From what the system says to the other one, and back. */
        function nextTheme() {
          const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
          const chosen = document.documentElement.dataset.theme ? null : isDark ? 'light' : 'dark';
          store(local, themeKey, chosen);
          showTheme(chosen);
        }

        function start() {
          showTheme(stored(local, themeKey));
          makeTabs();
          makeKeys();
          setText(by('about'), 'All that this page shows comes from the HTTP requests of this process, under v1/.');
          by('theme').onclick = nextTheme;
          by('help-open').onclick = () => by('help').showModal();
          by('help-close').onclick = () => by('help').close();
          by('skip').onclick = event => {
            event.preventDefault();
            by('main').focus();
          };
          by('forget').hidden = access.token === null;
          by('forget').onclick = () => {
            setToken(null);
            closeView();
            readAgain();
          };
          access.told = openRoute;
          addEventListener('hashchange', openRoute);
          addEventListener('keydown', pressed);
          addEventListener('keydown', entered);
          document.addEventListener('visibilitychange', poll);
          openRoute();
          poll();
        }

        start();
        """#
}
