extension InspectorPage {
    /// The part of the script that makes the net.
    static let netScript = #"""

        // Requests. All addresses are relative, as the page may be behind a prefix of a proxy.

        /** An answer that says no: `detail` tells what to do. */
        class Problem extends Error {
          constructor(status, detail, retryAfterSeconds) {
            super(detail);
            this.status = status;
            this.detail = detail;
            this.retryAfterSeconds = retryAfterSeconds;
          }
        }

        /** No answer at all. */
        class NoAnswer extends Error {}

        const tokenKey = 'modelcast.token';

        function stored(area, key) {
          try {
            return area()?.getItem(key) ?? null;
          } catch {
            return null;
          }
        }

        function store(area, key, value) {
          try {
            if (value === null) area().removeItem(key);
            else area().setItem(key, value);
          } catch {
            // A browser that keeps nothing asks again after a reload.
          }
        }

        const session = () => sessionStorage;
        const local = () => localStorage;

        /** The token, and who wants to know when one is needed. */
        const access = { token: stored(session, tokenKey), isNeeded: false, wasRefused: false, told: () => {} };

        function setToken(token) {
          access.token = token;
          access.isNeeded = false;
          access.wasRefused = false;
          store(session, tokenKey, token);
        }

        function needToken() {
          access.wasRefused = access.token !== null;
          access.isNeeded = true;
          access.told();
        }

        /** A path with its parameters, pairs of name and value; those without a value are left out. */
        function address(path, pairs = []) {
          const told = pairs.filter(pair => pair[1] !== null && pair[1] !== undefined && pair[1] !== '');
          const query = told.map(pair => pair.map(encodeURIComponent).join('=')).join('&');
          return query ? `${path}?${query}` : path;
        }

        function modelPath(prefix, type, id) {
          return ['v1', prefix, type, id].filter(part => part !== undefined && part !== null)
            .map(encodeURIComponent).join('/');
        }

        async function send(path, signal, more) {
          const headers = { ...more };
          if (access.token) headers.Authorization = `Bearer ${access.token}`;
          try {
            return await fetch(path, { headers, signal, cache: 'no-store', credentials: 'same-origin' });
          } catch (error) {
            if (error.name === 'AbortError') throw error;
            throw new NoAnswer('no answer');
          }
        }

        /** Throws the problem of an answer that is not 200. */
        async function refuse(response) {
          if (response.status === 401) needToken();
          let detail = `the process answered ${response.status}`;
          try {
            const told = JSON.parse(await response.text());
            if (typeof told.detail === 'string') detail = told.detail;
          } catch {
            // A proxy's page says nothing that is worth being shown.
          }
          throw new Problem(response.status, detail, Number(response.headers.get('Retry-After')) || null);
        }

        /** The JSON of an answer. Throws `Problem`, `NoAnswer`, or an AbortError. */
        async function ask(path, pairs, signal) {
          const response = await send(address(path, pairs), signal);
          noteClock(response);
          if (response.status !== 200) await refuse(response);
          let text;
          try {
            text = await response.text();
          } catch (error) {
            if (error.name === 'AbortError') throw error;
            throw new NoAnswer('the answer broke off');
          }
          try {
            return parseJSON(text);
          } catch {
            throw new Problem(response.status, 'the answer is not JSON: is this address the console of a process?',
              null);
          }
        }

        /** The clock of the process, by which ages are told: that of the browser may be another one. */
        let clockLead = 0;

        function noteClock(response) {
          const told = Date.parse(response.headers.get('Date') ?? '');
          const lead = told + 500 - Date.now();
          // A date has whole seconds: what is less than two may be its rounding.
          clockLead = Number.isNaN(told) || Math.abs(lead) < 2000 ? 0 : lead;
        }

        function processNow() {
          return Date.now() + clockLead;
        }

        function isAbort(error) {
          return error.name === 'AbortError';
        }

        /** What an error says to a reader. */
        function errorText(error) {
          if (error instanceof NoAnswer) return 'The process does not answer. This is tried again by itself.';
          if (!(error instanceof Problem)) return `The page failed: ${error.message}`;
          return error.detail.charAt(0).toUpperCase() + error.detail.slice(1);
        }

        /** Whether this process does not know a request: an older one, or one that serves something else. */
        function isNotServed(error) {
          if (!(error instanceof Problem)) return false;
          return error.status === 404 && /^there is nothing here/.test(error.detail)
            || error.status === 400 && /^there is no parameter/.test(error.detail);
        }

        // Event streams. `EventSource` cannot send a token, so the body of a fetch is read and split here.

        const silenceMilliseconds = 45_000;

        /** Follows `v1/changes` until it is closed; goes on behind the last event after a lost connection. */
        class EventStream {
          /**
           * `told(name, data, id)` gets each event with its unparsed data, `state(name, error)` how the stream
           * is.
           */
          constructor(pairs, { told, state }) {
            Object.assign(this, { pairs, told, state, lastID: null, isClosed: false, delay: second });
            this.onVisible = () => this.turn();
            document.addEventListener('visibilitychange', this.onVisible);
            this.turn();
          }

          close() {
            this.isClosed = true;
            document.removeEventListener('visibilitychange', this.onVisible);
            this.turn();
          }

          /** Begins or ends the connection: one whose page is hidden reads nothing. */
          turn() {
            const isWanted = !this.isClosed && !document.hidden;
            if (isWanted && !this.abort) this.run();
            if (!isWanted && this.abort) {
              this.abort.abort();
              this.abort = null;
            }
          }

          async run() {
            const abort = this.abort = new AbortController();
            while (this.abort === abort) {
              const error = await this.connect(abort).then(() => new NoAnswer('the stream ended'), error => error);
              if (this.abort !== abort || this.isClosed) return;
              const isFinal = error instanceof Problem && error.status < 500;
              this.state(isFinal ? 'refused' : 'waiting', error);
              if (isFinal) return;
              await new Promise(resume => setTimeout(resume, error.retryAfterSeconds * second || this.delay));
              this.delay = Math.min(this.delay * 2, 8 * second);
            }
          }

          async connect(abort) {
            this.state('connecting', null);
            const resumed = this.lastID ? { 'Last-Event-ID': this.lastID } : {};
            const response = await send(address('v1/changes', this.pairs), abort.signal, resumed);
            if (response.status !== 200) await refuse(response);
            this.delay = second;
            this.state('open', null);
            const watch = new Watchdog(silenceMilliseconds, () => reader.cancel());
            const reader = response.body.getReader();
            try {
              await this.read(reader, watch);
            } catch (error) {
              throw isAbort(error) ? error : new NoAnswer('the stream broke');
            } finally {
              watch.end();
            }
          }

          async read(reader, watch) {
            const decoder = new TextDecoder();
            let rest = '';
            for (;;) {
              const { done, value } = await reader.read();
              if (done || this.isClosed) return;
              watch.touch();
              const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
              rest = blocks.pop();
              for (const block of blocks) this.take(block);
            }
          }

          /** One event: its lines are few, and `data` is one line here. */
          take(block) {
            let name = 'message', data = null;
            for (const line of block.split('\n')) {
              if (line.startsWith('data: ')) data = data === null ? line.slice(6) : `${data}\n${line.slice(6)}`;
              else if (line.startsWith('event: ')) name = line.slice(7);
              else if (line.startsWith('id: ')) this.lastID = line.slice(4);
            }
            if (data !== null) this.told(name, data, this.lastID);
          }
        }

        /** Calls `bark` when nothing has touched it for a time. */
        class Watchdog {
          constructor(milliseconds, bark) {
            this.touched = Date.now();
            this.timer = setInterval(() => {
              if (Date.now() - this.touched > milliseconds) bark();
            }, milliseconds / 9);
          }

          touch() {
            this.touched = Date.now();
          }

          end() {
            clearInterval(this.timer);
          }
        }

        /** Runs `work` at most once in a time, however often it is asked for; the last asking is never lost. */
        class Pace {
          constructor(milliseconds, work) {
            Object.assign(this, { milliseconds, work, last: 0, timer: null });
          }

          ask() {
            if (this.timer !== null) return;
            const wait = Math.max(0, this.last + this.milliseconds - performance.now());
            this.timer = setTimeout(() => {
              this.timer = null;
              this.last = performance.now();
              this.work();
            }, wait);
          }

          end() {
            clearTimeout(this.timer);
            this.timer = null;
          }
        }
        """#
}
