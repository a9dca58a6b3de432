extension InspectorPage {
    /// The part of the script that makes the core.
    static let coreScript = #"""
        // Elements. All text that comes from models goes through text nodes and attributes, never through markup.

        const svgSpace = 'http://www.w3.org/2000/svg';

        /** Makes an element: attributes by name, listeners as `onName`; children are nodes, texts, or nothing. */
        function h(tag, attributes, ...children) {
          return dress(document.createElement(tag), attributes, children);
        }

        /** The same for SVG. */
        function s(tag, attributes, ...children) {
          return dress(document.createElementNS(svgSpace, tag), attributes, children);
        }

        function dress(element, attributes, children) {
          for (const [name, value] of Object.entries(attributes ?? {})) {
            if (value === null || value === undefined || value === false) continue;
            if (typeof value === 'function') element.addEventListener(name.slice(2), value);
            else element.setAttribute(name, value === true ? '' : value);
          }
          element.append(...children.flat()
            .filter(child => child !== null && child !== undefined && child !== false)
            .map(child => typeof child === 'string' ? visible(child) : child));
          return element;
        }

        const hidden =
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

        /** A text whose characters that are not seen, or turn others around, stand as JSON escapes them. */
        function visible(text) {
          return text.replace(hidden, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
        }

        /** Sets a text where it is another one: an untouched node costs no layout. */
        function setText(node, told) {
          const text = visible(String(told));
          if (node.textContent !== text) node.textContent = text;
        }

        function setData(node, name, value) {
          if (value === null || value === undefined) delete node.dataset[name];
          else if (node.dataset[name] !== String(value)) node.dataset[name] = value;
        }

        function setTitle(node, text) {
          if (node.title !== text) node.title = text;
        }

        function by(id) {
          return document.getElementById(id);
        }

        // Numbers, times and sizes. Units stand behind a narrow space; numbers have separators of thousands.

        const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
        const none = '–';
        const second = 1000;

        function isNumber(value) {
          return typeof value === 'number' && Number.isFinite(value);
        }

        function countText(value) {
          return isNumber(value) ? grouped.format(value) : none;
        }

        function plural(value, one, many) {
          return `${countText(value)} ${value === 1 ? one : many}`;
        }

        function rateText(value) {
          if (!isNumber(value)) return none;
          return value > 0 && value < 9.95 ? value.toFixed(1) : countText(value);
        }

        function secondsText(value) {
          if (!isNumber(value)) return none;
          if (value < 0.001) return '< 1 ms';
          if (value < 0.9995) return `${Math.round(value * 1000)} ms`;
          if (value < 10) return `${value.toFixed(1)} s`;
          if (value < 60) return `${Math.floor(value)} s`;
          return longSecondsText(Math.floor(value));
        }

        function longSecondsText(value) {
          if (value < 3600) return `${Math.floor(value / 60)} min ${value % 60} s`;
          if (value < 86400) return `${Math.floor(value / 3600)} h ${Math.floor(value / 60) % 60} min`;
          return `${countText(Math.floor(value / 86400))} d ${Math.floor(value / 3600) % 24} h`;
        }

        /** For how long something has been so: whole seconds, as these count up before one's eyes. */
        function durationText(value) {
          return isNumber(value) ? (value < 60 ? `${Math.floor(value)} s` : secondsText(value)) : none;
        }

        function bytesText(value) {
          if (!isNumber(value)) return none;
          const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
          let power = 0;
          while (value >= 1024 && power < units.length - 1) {
            value /= 1024;
            power += 1;
          }
          return `${power > 0 && value < 99.95 ? value.toFixed(1) : countText(value)} ${units[power]}`;
        }

        function agoText(milliseconds) {
          if (!isNumber(milliseconds)) return none;
          if (milliseconds < second) return 'now';
          return `${longAgeText(Math.floor(milliseconds / second))} ago`;
        }

        function longAgeText(value) {
          if (value < 60) return `${value} s`;
          if (value < 3600) return `${Math.floor(value / 60)} min`;
          if (value < 86400) return `${Math.floor(value / 3600)} h`;
          return `${countText(Math.floor(value / 86400))} d`;
        }

        function twoDigits(number) {
          return String(number).padStart(2, '0');
        }

        /** The time of day, with the date where it is another day than today. */
        function timeText(milliseconds, digits = 3) {
          const time = new Date(milliseconds);
          if (Number.isNaN(time.getTime())) return none;
          const day = time.toDateString() === new Date().toDateString() ? '' : `${dayText(time)} `;
          const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':');
          return day + clock + (digits ? `.${String(time.getMilliseconds()).padStart(3, '0')}` : '');
        }

        function dayText(time) {
          return `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`;
        }

        // Versions: MILLISECONDS.COUNTER@ORIGIN, compared in that order.

        function versionOf(text) {
          const match = /^(\d+)\.(\d+)@(.*)$/s.exec(text ?? '');
          return match ? { time: Number(match[1]), counter: Number(match[2]), origin: match[3] } : null;
        }

        function isLater(one, other) {
          const a = versionOf(one), b = versionOf(other);
          if (!a || !b) return true;
          if (a.time !== b.time) return a.time > b.time;
          return a.counter !== b.counter ? a.counter > b.counter : a.origin > b.origin;
        }

        function isOlder(one, other) {
          return versionOf(one) !== null && one !== other && isLater(other, one);
        }

        // JSON. Integers beyond 2^53 stay exact where the browser tells the source of a number; elsewhere the
        // process is asked to send them as texts.

        const hasSources = (() => {
          let told = false;
          JSON.parse('1', (key, value, context) => {
            told = typeof context?.source === 'string' && typeof JSON.rawJSON === 'function';
            return value;
          });
          return told;
        })();

        const integersAsText = hasSources ? [] : [['integers', 'text']];

        function parseJSON(text) {
          return hasSources && /\d{16}/.test(text) ? JSON.parse(text, keepInteger) : JSON.parse(text);
        }

        function keepInteger(key, value, context) {
          const isExact = typeof value !== 'number' || Number.isSafeInteger(value)
            || !/^-?\d+$/.test(context.source);
          return isExact ? value : BigInt(context.source);
        }

        /** JSON as it came. A value that is nested deeper than the stack allows has no text. */
        function jsonText(value, indent) {
          try {
            const exact = (key, part) => typeof part === 'bigint' ? JSON.rawJSON(String(part)) : part;
            return JSON.stringify(value, exact, indent) ?? '';
          } catch {
            return '(nested too deeply to be shown)';
          }
        }

        // Values. A text stands without quotes unless it would read as another kind of value.

        const shownLength = 300;

        function kindOf(value) {
          if (value === undefined) return 'absent';
          if (value === null) return 'null';
          if (typeof value === 'bigint') return 'number';
          return Array.isArray(value) ? 'list' : typeof value;
        }

        function valueText(value) {
          if (value === undefined) return '·';
          if (typeof value === 'string' && !/^($|[\s\d-]|true$|false$|null$|[[{"])|\s$/.test(value)) return value;
          return jsonText(value);
        }

        function shorten(text, length = shownLength) {
          return text.length > length ? `${text.slice(0, length)}…` : text;
        }

        function setValue(node, value) {
          setData(node, 'kind', kindOf(value));
          const text = valueText(value);
          setText(node, shorten(text));
          setTitle(node, text.length > 24 ? shorten(text, 2000) : '');
        }

        function valueNode(value, attributes) {
          const node = h('span', { class: 'value', ...attributes });
          setValue(node, value);
          return node;
        }

        /** The members of an object, whatever their names; of anything else none. */
        function membersOf(value) {
          return value !== null && typeof value === 'object' ? Object.entries(value) : [];
        }

        function listOf(value) {
          return Array.isArray(value) ? value : [];
        }

        const calm = matchMedia('(prefers-reduced-motion: reduce)');

        /** Marks what has changed: it fades, or just stands for a second where motion is not wanted. */
        function flash(node) {
          const color = getComputedStyle(document.documentElement).getPropertyValue('--flash');
          const end = calm.matches ? color : 'transparent';
          node.animate([{ backgroundColor: color }, { backgroundColor: end }],
            { duration: 1200, easing: 'ease-out' });
        }
        """#
}
