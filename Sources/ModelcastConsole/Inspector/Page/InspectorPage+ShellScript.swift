extension InspectorPage {
    /// The part of the script that makes the shell.
    static let shellScript = #"""

        // Routes: `#/view/part/part?name=value`. Everything that a reader has chosen is in the address.

        /** The views in their order; each file adds its own. `make(root)` returns `{route, status, close, …}`. */
        const views = new Map();

        function decoded(text) {
          try {
            return decodeURIComponent(text);
          } catch {
            return text;
          }
        }

        function currentRoute() {
          const [path, query] = (location.hash.slice(1) || '/overview').split(/\?(.*)/s);
          const [, view, ...parts] = path.split('/').map(decoded);
          return { view: views.has(view) ? view : 'overview', parts: parts.filter(part => part !== ''),
            query: new URLSearchParams(query ?? '') };
        }

        function routeTo(view, parts = [], pairs = []) {
          return address(`#/${[view, ...parts].map(encodeURIComponent).join('/')}`, pairs);
        }

        function go(view, parts, pairs) {
          const hash = routeTo(view, parts, pairs);
          if (location.hash !== hash) location.hash = hash;
        }

        /** Changes the address without a step back, as for what is being typed. */
        function amend(view, parts, pairs) {
          window.history.replaceState(null, '', routeTo(view, parts, pairs));
        }

        // The shell: one view at a time, and the last status for all of them.

        const shell = { view: null, name: null, status: null, statusError: null, goneSince: null,
          series: new Map() };

        function services() {
          return listOf(shell.status?.services);
        }

        /** What all types of a service have together. Of more than are told it is the least. */
        function sumOf(service, name) {
          return listOf(service.types).reduce((sum, row) => sum + (row[name] || 0), 0);
        }

        /** More types than are told: what is summed up of them is the least. */
        function hasMoreTypes(service) {
          return listOf(service.types).length < service.typesCount;
        }

        function series(service, figure) {
          const key = JSON.stringify([service.service, service.name, figure]);
          if (!shell.series.has(key)) shell.series.set(key, new Series());
          return shell.series.get(key);
        }

        function openRoute() {
          if (access.isNeeded) return showTokenForm();
          const route = currentRoute();
          if (shell.name !== route.view) {
            closeView();
            const main = by('main');
            main.replaceChildren();
            main.className = `view-${route.view}`;
            main.setAttribute('aria-labelledby', `tab-${route.view}`);
            main.scrollTop = 0;
            shell.name = route.view;
            shell.view = views.get(route.view).make(main);
            markTab();
          }
          shell.view.route?.(route);
          tellStatus();
        }

        function closeView() {
          shell.view?.close?.();
          shell.view = null;
          shell.name = null;
        }

        function tellStatus() {
          if (shell.status || shell.statusError) shell.view?.status?.(shell.status, shell.statusError);
        }

        function makeTabs() {
          let number = 0;
          by('tabs').addEventListener('keydown', tabKey);
          for (const [name, view] of views) {
            number += 1;
            by('tabs').append(h('a', {
              id: `tab-${name}`, role: 'tab', href: routeTo(name), 'aria-controls': 'main',
                'data-test': `tab-${name}`,
              title: `${view.title} (${number})`,
            }, view.title));
          }
        }

        /** Arrows go from tab to tab, Enter and the space bar choose one. */
        function tabKey(event) {
          const tabs = [...by('tabs').children], at = tabs.indexOf(document.activeElement);
          const steps = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1, ' ': at };
          if (at < 0 || !Object.hasOwn(steps, event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
          event.preventDefault();
          const tab = tabs[(steps[event.key] + tabs.length) % tabs.length];
          if (event.key === ' ') tab.click();
          else tab.focus();
        }

        function markTab() {
          for (const tab of by('tabs').children) {
            const isChosen = tab.id === `tab-${shell.name}`;
            tab.setAttribute('aria-selected', isChosen);
            // One stop for the tab key; arrows go on from there.
            tab.tabIndex = isChosen ? 0 : -1;
            if (isChosen) tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
          }
        }

        // The token.

        function showTokenForm() {
          closeView();
          const field = h('input', {
            type: 'password', id: 'token', autocomplete: 'off', spellcheck: 'false', 'data-test': 'token' });
          const form = h('form', { class: 'token panel', 'data-test': 'token-form', onsubmit: event => {
            event.preventDefault();
            if (!field.value.trim()) return;
            setToken(field.value.trim());
            readAgain();
          } },
          h('h2', {}, access.wasRefused ? 'This process does not know that token'
            : 'This process asks for a token'),
          h('p', {}, 'A token says what its owner may see. It is made by “modelcast keygen --token NAME”; ',
            'its key stands in the file of --http-tokens. The page keeps it until this tab is closed.'),
          h('label', { for: 'token' }, 'Token'),
          h('div', { class: 'line' }, field, h('button', { type: 'submit', class: 'primary' }, 'Go on')));
          by('main').className = 'view-token';
          by('main').replaceChildren(form);
          field.focus();
        }

        function readAgain() {
          by('forget').hidden = access.token === null;
          openRoute();
          poll();
        }

        // The status, once a second while somebody looks.

        let pollTimer = null;

        async function poll() {
          clearTimeout(pollTimer);
          if (document.hidden) return;
          const number = poll.number = (poll.number ?? 0) + 1;
          try {
            const status = await ask('v1/status', [], AbortSignal.timeout(8 * second));
            if (number !== poll.number) return;
            Object.assign(shell, { status, statusError: null });
            sample(status);
            heard();
          } catch (error) {
            if (number !== poll.number) return;
            if (error instanceof Problem) {
              Object.assign(shell, { status: null, statusError: error });
              heard();
            } else {
              lost();
            }
          }
          showProcess();
          tellStatus();
          if (!access.isNeeded) pollTimer = setTimeout(poll, second);
        }

        /** Keeps the figures that are shown as lines, whichever view is open. */
        function sample(status) {
          const time = performance.now();
          for (const service of listOf(status.services)) {
            const rate = series(service, 'rate'), before = rate.before;
            const isRate = before && isNumber(service.commits) && service.commits >= before.commits;
            if (isNumber(service.commits)) {
              rate.add(isRate ? (service.commits - before.commits) / (time - before.time) * second : null);
              rate.before = { commits: service.commits, time };
            }
            if (service.lagSeconds !== undefined) series(service, 'lag').add(service.lagSeconds);
          }
          const spent = status.process?.processorSeconds, last = sample.last;
          shell.load = last && isNumber(spent) ? (spent - last.spent) / (time - last.time) * second : null;
          sample.last = { spent, time };
        }

        function heard() {
          const wasGone = shell.goneSince !== null;
          shell.goneSince = null;
          by('gone').hidden = true;
          document.body.classList.remove('is-gone');
          if (wasGone) shell.view?.back?.();
        }

        /** Says since when there has been no answer; what is shown stays, and is greyed. */
        function lost() {
          shell.goneSince ??= Date.now();
          for (const one of shell.series.values()) {
            one.add(null);
            one.before = null;
          }
          const gone = by('gone');
          // Read out once: what changes each second stands apart.
          setText(by('gone-text'), `No answer from this process since ${timeText(shell.goneSince, 0)}. `
            + (shell.status ? 'Below stands what it said last. ' : '') + 'It is asked again each second.');
          setText(by('gone-for'), `It has been away for ${durationText((Date.now() - shell.goneSince) / second)}.`);
          gone.hidden = false;
          document.body.classList.add('is-gone');
        }

        function showProcess() {
          const names = services().map(service => service.name).join(' + ');
          const isReady = shell.status?.ready;
          let state = null, word = 'status not told';
          if (shell.goneSince !== null) [state, word] = ['gone', 'no answer'];
          else if (shell.status) [state, word] = isReady ? ['ready', 'ready'] : ['not ready', 'not ready'];
          setText(by('process'), names);
          setTitle(by('process'), names);
          const contact = by('contact');
          if (!contact.firstChild) contact.append(stateNode(null));
          setState(contact.firstChild, state, word);
          const mark = { good: '', bad: '▲ ', unknown: '' }[stateKind(state)];
          document.title = `${mark}${names || 'Modelcast'} · ${views.get(currentRoute().view).title}`;
          showIcon(stateKind(state));
        }

        /** The icon of the tab has the shape and the colour of the state. */
        function showIcon(kind) {
          if (showIcon.kind === kind) return;
          showIcon.kind = kind;
          const color = { good: '#2b9a62', bad: '#d4483b' }[kind] ?? '#8a8d93';
          const path = `<path fill="${color}" d="${shapes[kind]}"/>`;
          const image = `<svg xmlns="${svgSpace}" viewBox="0 0 12 12">${path}</svg>`;
          by('icon').href = `data:image/svg+xml,${encodeURIComponent(image)}`;
        }
        """#
}
