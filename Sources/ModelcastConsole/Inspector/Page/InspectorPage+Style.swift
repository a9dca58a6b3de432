extension InspectorPage {
    /// How the page looks: style.
    static let style = #"""
        /* Colours: one neutral scale, one accent, and four states. Each has a value for light and one for dark. */
        :root {
          color-scheme: light dark;
          --ground: light-dark(#f6f6f4, #121315);
          --panel: light-dark(#ffffff, #191b1e);
          --sunken: light-dark(#f1f1ee, #15171a);
          --line: light-dark(#e3e3de, #2a2d31);
          --line-strong: light-dark(#cfcfc9, #3b3f45);
          --text: light-dark(#1a1c1f, #e6e6e3);
          --dim: light-dark(#64676d, #9a9da3);
          --accent: light-dark(#2b57c7, #8fb0ff);
          --accent-soft: light-dark(#e8eefc, #1f2a44);
          --good: light-dark(#1b7a48, #57c18b);
          --busy: light-dark(#935d00, #e2ac4f);
          --bad: light-dark(#b3261e, #ff8d80);
          --bad-soft: light-dark(#fdf1ef, #2a1a1a);
          --bad-line: light-dark(#eec4bf, #5a2d2b);
          --flash: light-dark(#ffe9a3, #57491a);
          --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
          --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
          --radius: 8px;
          --gap: 16px;
        }
        :root[data-theme=light] { color-scheme: light; }
        :root[data-theme=dark] { color-scheme: dark; }

        *, ::before, ::after { box-sizing: border-box; }
        [hidden] { display: none !important; }
        html, body { height: 100%; }
        * { scrollbar-width: thin; scrollbar-color: var(--line-strong) transparent; }
        body {
          margin: 0; overflow: hidden; display: flex; flex-direction: column; background: var(--ground);
            color: var(--text);
          font: 13px/1.5 var(--sans); font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%;
        }
        h1, h2, h3, p, ul, ol, dl, dd { margin: 0; padding: 0; }
        ul, ol { list-style: none; }
        h1 { font-size: 22px; line-height: 1.25; font-weight: 620; letter-spacing: -.012em; }
        h2 { font-size: 15px; line-height: 1.35; font-weight: 620; letter-spacing: -.005em; }
        h3 { font-size: 12px; line-height: 1.4; font-weight: 600; color: var(--dim); }
        a { color: var(--accent); text-decoration: none; }
        a:hover { text-decoration: underline; text-underline-offset: 2px; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; border-radius: 4px; }
        main:focus-visible { outline: none; }
        .dim { color: var(--dim); font-weight: 400; }
        code, pre, kbd { font-family: var(--mono); font-size: 12px; }
        .hidden { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
        .skip { position: absolute; left: 8px; top: -60px; z-index: 9; padding: 8px 12px; background: var(--panel);
          }
        .skip:focus { top: 6px; }
        .note { color: var(--dim); max-width: 76ch; text-wrap: pretty; }
        .line { display: flex; align-items: center; gap: 8px; flex-wrap: wrap; }
        .space { flex: 1; }
        .scroll { overflow-x: auto; }

        /* Controls. */
        button, input, select, summary, .button { font: inherit; color: inherit; }
        button, .button, select, input:not([type=checkbox]) {
          height: 30px; padding: 0 10px; border: 1px solid var(--line-strong); border-radius: 6px;
          background: var(--panel); min-width: 0;
        }
        button, .button, summary { cursor: pointer; white-space: nowrap; }
        button:hover, .button:hover { border-color: var(--dim); text-decoration: none; }
        button:disabled { opacity: .5; cursor: default; }
        button.primary { background: var(--accent); border-color: var(--accent); color: var(--panel);
          font-weight: 600; }
        button[aria-pressed=true] { background: var(--accent-soft); border-color: var(--accent);
          color: var(--accent); }
        button.small, .button.small { height: 24px; padding: 0 8px; font-size: 12px; display: inline-flex;
          align-items: center; }
        button.icon { border-color: transparent; background: none; min-width: 30px; padding: 0 7px;
          color: var(--dim);
          display: inline-flex; align-items: center; justify-content: center; }
        button.icon:hover { color: var(--text); background: var(--sunken); }
        button.link { height: auto; padding: 0; border: 0; background: none; color: var(--accent); font: inherit;
          text-align: left; white-space: normal; overflow-wrap: anywhere; }
        button.link:hover { text-decoration: underline; text-underline-offset: 2px; }
        input::placeholder { color: var(--dim); opacity: .85; }
        .tools input:not([type=checkbox]) {
          flex: 1 1 110px; max-width: 220px; font-family: var(--mono); font-size: 12px; }
        .chips { display: inline-flex; flex-wrap: wrap; gap: 6px; }
        .chip { display: inline-flex; align-items: center; height: 24px; padding-left: 9px; border-radius: 12px;
          background: var(--accent-soft); color: var(--accent); font: 12px var(--mono); max-width: 40ch; }
        .chip button { border: 0; background: none; height: 24px; width: 26px; padding: 0; color: inherit; }
        kbd { padding: 1px 6px; border: 1px solid var(--line-strong); border-radius: 4px;
          background: var(--sunken); }

        /* The bar. */
        .bar { display: flex; align-items: center; gap: 4px 24px; padding: 0 20px; min-height: 46px; flex: none;
          background: var(--panel); border-bottom: 1px solid var(--line); }
        .brand { display: flex; align-items: center; gap: 8px; min-width: 0; }
        .brand svg { fill: var(--accent); stroke: var(--accent); stroke-width: 1.2; flex: none; }
        .wordmark { font-weight: 650; letter-spacing: -.01em; }
        .process { font: 12px var(--mono); color: var(--dim); overflow: hidden; text-overflow: ellipsis;
          white-space: nowrap; max-width: 26ch; }
        .process:not(:empty)::before { content: "/"; margin-right: 8px; color: var(--line-strong); }
        nav { min-width: 0; }
        .tabs { display: flex; gap: 2px; overflow-x: auto; scrollbar-width: none; align-self: stretch; }
        .tabs a { padding: 13px 10px 11px; color: var(--dim); border-bottom: 2px solid transparent;
          white-space: nowrap; }
        .tabs a:hover { color: var(--text); text-decoration: none; }
        .tabs a:focus-visible { outline-offset: -3px; }
        .tabs a[aria-selected=true] { color: var(--text); border-color: var(--accent);
          text-shadow: .35px 0 currentColor; }
        .bar .tools { display: flex; align-items: center; gap: 4px; margin-left: auto; }
        .contact { min-width: 92px; text-align: right; margin-right: 6px; }
        #theme circle { fill: none; stroke: currentColor; stroke-width: 1.4; }
        #theme .full { fill: currentColor; }
        .gone { flex: none; padding: 9px 20px; background: var(--bad-soft); color: var(--bad); font-weight: 550;
          border-bottom: 1px solid var(--bad-line); }
        main { position: relative; flex: 1; min-height: 0; overflow-y: auto; padding: 20px; display: flex;
          flex-direction: column;
          gap: var(--gap); transition: opacity .2s, filter .2s; }
        main > * { flex: none; }
        .is-gone main { filter: grayscale(1); opacity: .55; }

        /* States: a shape, a word, a colour. */
        .state { display: inline-flex; align-items: center; gap: 6px; white-space: nowrap; }
        .state svg { flex: none; fill: currentColor; fill-rule: evenodd; }
        [data-state] { --state: var(--dim); }
        [data-state=good] { --state: var(--good); }
        [data-state=busy] { --state: var(--busy); }
        [data-state=bad] { --state: var(--bad); }
        .state { color: var(--state); }

        /* Panels and tables. */
        .panel { background: var(--panel); border: 1px solid var(--line); border-radius: var(--radius);
          padding: 12px 14px; min-width: 0; }
        .panel > h3 { margin-bottom: 6px; color: var(--text); }
        .panel > .small { margin-top: 8px; }
        table { border-collapse: collapse; width: 100%; table-layout: fixed; }
        th, td { text-align: left; padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line);
          vertical-align: top; }
        th:last-child, td:last-child { padding-right: 0; }
        thead th { color: var(--dim); font-size: 11.5px; font-weight: 500; padding-top: 2px; }
        tbody tr:last-child > * { border-bottom: 0; }
        .panel td { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .number { text-align: right; }
        td.name, td.mono, span.mono, h2.mono, a.mono { font-family: var(--mono); font-size: 12px; }
        td.words { color: var(--dim); padding-left: 10px; }
        th.words { padding-left: 10px; }
        tr.opens { cursor: pointer; }
        tr.opens:hover td { background: var(--sunken); }
        td[data-behind] { color: var(--busy); }
        .full { display: flex; align-items: center; justify-content: flex-end; gap: 8px; }
        .full[data-full] { color: var(--bad); }
        .full progress { width: 64px; height: 6px; appearance: none; border: 0; border-radius: 3px; overflow: hidden;
          background: var(--line); color: var(--accent); }
        .full progress::-webkit-progress-bar { background: var(--line); }
        .full progress::-webkit-progress-value { background: var(--accent); }
        .full progress::-moz-progress-bar { background: var(--accent); }
        .full[data-full] progress::-webkit-progress-value { background: var(--bad); }
        .full[data-full] progress::-moz-progress-bar { background: var(--bad); }
        .value { font-family: var(--mono); font-size: 12px; overflow-wrap: anywhere; }
        .value[data-kind=number], .value[data-kind=boolean] { color: var(--accent); }
        .value[data-kind=null], .value[data-kind=absent] { color: var(--dim); }
        .value.old { color: var(--dim); }

        /* Overview. */
        .verdict[data-ready=false] { background: var(--bad-soft); border: 1px solid var(--bad-line);
          border-radius: var(--radius); padding: 16px 18px; }
        .verdict[data-ready=false] h1 { color: var(--bad); }
        .verdict[data-ready=true] { display: flex; align-items: baseline; gap: 4px 16px; flex-wrap: wrap; }
        .calm .state { gap: 9px; color: var(--text); }
        .calm .state svg { width: 14px; height: 14px; fill: var(--state); }
        .calm .state[data-state=bad] { color: var(--bad); }
        .checks summary { color: var(--dim); }
        .checks li { color: var(--dim); padding-left: 2px; }
        .problems { display: grid; gap: 14px 32px; margin-top: 12px;
          grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); }
        .problems strong { font-size: 15px; font-weight: 600; display: block; overflow-wrap: anywhere; }
        .problems .what { font: 12px var(--mono); color: var(--bad); overflow-wrap: anywhere; }
        .problems .note { color: var(--text); margin-top: 2px; }
        .facts { display: flex; flex-wrap: wrap; gap: 6px 28px; }
        .facts > div { display: flex; gap: 7px; }
        .facts dt { color: var(--dim); }
        .services, .service { display: grid; gap: 12px; min-width: 0; grid-template-columns: minmax(0, 1fr); }
        .services { gap: 28px; }
        .service > h2 { overflow-wrap: anywhere; }
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(168px, 1fr)); gap: 12px; }
        .tile { position: relative; background: var(--panel); border: 1px solid var(--line); overflow: hidden;
          border-radius: var(--radius); padding: 11px 14px 12px; min-height: 92px; }
        .tile > * { position: relative; z-index: 1; }
        .tile .figure { font-size: 24px; line-height: 1.3; font-weight: 600; letter-spacing: -.02em;
          white-space: nowrap;
          overflow: hidden; text-overflow: ellipsis; }
        .tile .dim { font-size: 12px; overflow-wrap: anywhere; }
        .tile[data-bad] .figure { color: var(--bad); }
        .tile .spark { position: absolute; z-index: 0; right: 0; top: 12px; width: 46%; height: 44px; }
        .spark .line { fill: none; stroke: var(--accent); stroke-width: 1.25; }
        .spark .area { fill: var(--accent); opacity: .1; }
        .service > * { min-width: 0; }
        .panels, .stack { display: grid; gap: 12px; align-items: start; grid-template-columns: minmax(0, 1fr); }
        .stack:empty { display: none; }

        /* Topology. */
        .topology { display: block; width: 100%; }
        .drawing { min-width: 0; }
        .topology text { font: 11px var(--sans); fill: var(--dim); font-variant-numeric: tabular-nums; }
        .topology .title { font: 600 12px var(--mono); fill: var(--text); }
        .node rect { fill: var(--panel); stroke: var(--line-strong); }
        .node { cursor: pointer; outline: none; }
        .node:hover rect { stroke: var(--dim); }
        .node:focus-visible rect, .node[data-chosen=true] rect { stroke: var(--accent); stroke-width: 2; }
        .node.self rect { fill: var(--accent-soft); stroke: var(--accent); }
        .node[data-state=bad] rect { stroke: var(--bad); }
        .mark { fill: var(--state); fill-rule: evenodd; }
        .member { cursor: pointer; outline: none; }
        .member:focus-visible .mark { stroke: var(--text); stroke-width: 4; paint-order: stroke; }
        .member[data-chosen=true] .mark { stroke: var(--accent); stroke-width: 4; paint-order: stroke; }
        .edge path { fill: none; stroke: color-mix(in srgb, var(--state) 55%, var(--line)); stroke-width: 1.5; }
        .edge[data-state=bad] path { stroke: var(--bad); stroke-width: 2; }
        .edge .guess { stroke-dasharray: 3 5; }
        .edge text { paint-order: stroke; stroke: var(--ground); stroke-width: 9px; stroke-linejoin: round; }
        .pairs { display: grid; grid-template-columns: repeat(auto-fill, minmax(210px, 1fr)); gap: 4px 24px;
          margin-top: 8px; }
        .pairs > div { display: flex; gap: 10px; justify-content: space-between;
          border-bottom: 1px solid var(--line);
          padding: 3px 0; }
        .pairs dt { color: var(--dim); white-space: nowrap; }
        .pairs dd { overflow-wrap: anywhere; text-align: right; }

        /* Models. */
        .view-models, .view-changes { padding: 0; overflow: hidden; }
        .split { flex: 1; min-height: 0; display: grid; grid-template-columns: 200px minmax(0, 1fr); }
        .split.with-detail { grid-template-columns: 200px minmax(0, 1fr) minmax(380px, 34%); }
        .types { border-right: 1px solid var(--line); padding: 16px 10px; overflow-y: auto; min-height: 0; }
        .types h3, .types .note { padding: 0 10px 6px; }
        .types select { display: none; }
        .types a { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 8px; padding: 5px 10px;
          border-radius: 6px; color: inherit; }
        .types a > :first-child { flex: 1 1 auto; min-width: 0; max-width: 100%; }
        .types a > .dim { margin-left: auto; }
        .types .size { flex: 0 0 100%; text-align: right; font-size: 11.5px; }
        .types .sum { padding: 8px 10px; font-size: 11.5px; }
        .types .sum:empty { display: none; }
        .types a > :first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .types a:hover { background: var(--line); text-decoration: none; }
        .types a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
        .models, .view-changes { display: flex; flex-direction: column; min-height: 0; min-width: 0; gap: 0; }
        .models > .tools, .view-changes > .tools { padding: 12px 16px; }
        .models .note, .view-changes > div > .note { padding: 4px 16px 12px; }
        .foot { padding: 7px 16px; min-height: 38px; border-top: 1px solid var(--line); background: var(--panel);
          font-size: 12px; }
        [data-test=live][data-on=true]::before { content: ""; display: inline-block; width: 7px; height: 7px;
          margin-right: 6px; border-radius: 50%; background: var(--good); }
        .virtual { flex: 1 1 0; min-height: 0; overflow: auto; background: var(--panel);
          border-top: 1px solid var(--line);
          contain: strict; }
        .virtual:focus-visible { outline-offset: -2px; border-radius: 0; }
        .sheet { min-width: max-content; }
        .rows { position: relative; }
        .row { display: grid; grid-template-columns: var(--columns); height: 28px; line-height: 27px; width: 100%;
          border-bottom: 1px solid var(--line); font-family: var(--mono); font-size: 12px; }
        .rows .row { position: absolute; left: 0; top: 0; cursor: pointer; }
        .row.head:empty { display: none; }
        .row.head { position: sticky; top: 0; z-index: 2; background: var(--panel); color: var(--dim);
          font-family: var(--sans); border-bottom-color: var(--line-strong); }
        .row > span { padding: 0 4px 0 16px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .row > span:first-child { position: sticky; left: 0; z-index: 1; background: var(--panel); }
        .rows .row:hover > span:first-child, .rows .row:hover { background: var(--sunken); }
        .rows .row[aria-selected=true], .rows .row[aria-selected=true] > span:first-child {
          background: var(--accent-soft); }
        .rows .row[data-open] { box-shadow: inset 3px 0 var(--accent); }
        .rows .row[data-open], .rows .row[data-open] > span:first-child { background: var(--accent-soft); }
        .row[data-gone], .row[data-gone] .value { color: var(--dim); }
        .row[data-gone=deleted] > span:not(.why) { text-decoration: line-through; }
        .row > .why { position: sticky; right: 0; grid-column: -2 / -1; justify-self: end; width: max-content;
          padding-right: 16px; background: var(--panel); font-family: var(--sans); }
        .row > .why:empty { display: none; }
        .sheet > .note { position: sticky; left: 0; width: fit-content; padding: 12px 16px 16px; }
        .feed .row[data-gap], .feed .row[data-gap] > span:first-child { background: var(--bad-soft); }
        .picker { position: relative; }
        .picker summary { list-style: none; height: 30px; line-height: 28px; padding: 0 10px; border-radius: 6px;
          border: 1px solid var(--line-strong); background: var(--panel); }
        .picker-list { position: absolute; right: 0; top: 34px; z-index: 5; max-height: 50vh; overflow: auto;
          padding: 8px 14px; background: var(--panel); border: 1px solid var(--line-strong); border-radius: 8px;
          box-shadow: 0 8px 28px rgb(0 0 0 / .18); }
        .picker-list label { display: flex; gap: 8px; align-items: center; padding: 3px 0; white-space: nowrap;
          font: 12px var(--mono); }

        /* One model. */
        .detail { border-left: 1px solid var(--line); background: var(--panel); overflow-y: auto; min-height: 0; }
        .one { padding: 14px 18px 28px; display: grid; gap: 12px; }
        .one > * { min-width: 0; }
        .one .names { min-width: 0; overflow-wrap: anywhere; }
        .one h2 { font-size: 15px; }
        .one > .dim { margin-top: -8px; }
        .one h3 { color: var(--text); }
        .cells th:nth-child(1) { width: 26%; }
        .cells th:nth-child(3) { width: 92px; }
        .cells th:nth-child(4) { width: 84px; }
        .cells tbody th { font: 12px/1.5 var(--mono); }
        .cells tr[data-chosen] > * { background: var(--accent-soft); }
        .cells td { overflow-wrap: anywhere; }
        .cells .when { color: var(--dim); white-space: nowrap; }
        .value.long { white-space: pre-wrap; max-height: 12em; overflow: auto; }
        .raw summary { color: var(--dim); }
        .raw { position: relative; }
        .raw button { position: absolute; right: 8px; top: 34px; }
        .raw pre { margin: 8px 0 0; padding: 10px 12px; background: var(--sunken); border-radius: 6px;
          overflow: auto;
          max-height: 320px; }

        /* History. */
        .history-list { display: grid; gap: 10px; justify-items: start; }
        .history-list > * { min-width: 0; }
        .history { width: 100%; background: var(--panel); border: 1px solid var(--line);
          border-radius: var(--radius); }
        .history:empty { display: none; }
        .history > li { display: grid; grid-template-columns: 100px 92px minmax(120px, 22ch) 68px minmax(0, 1fr);
          gap: 2px 14px; padding: 5px 14px; border-bottom: 1px solid var(--line); }
        .history > li:last-child { border-bottom: 0; }
        .history time, .row .time { color: var(--dim); white-space: nowrap; font: 12px/1.6 var(--mono); }
        .history .who, .history .what, .row .who { font: 12px/1.6 var(--mono); overflow: hidden;
          text-overflow: ellipsis;
          white-space: nowrap; }
        .reason { color: var(--dim); }
        .reason[data-kind=good] { color: var(--good); }
        .reason:is([data-kind=ended], [data-kind=bad]) { color: var(--bad); }
        .diffs { display: flex; flex-wrap: wrap; gap: 2px 18px; min-width: 0; }
        .diff { font: 12px/1.6 var(--mono); overflow-wrap: anywhere; }
        .diff .field { color: var(--dim); margin-right: 2px; }
        a.field:hover { color: var(--accent); }
        .one .history { border: 0; border-radius: 0; }
        .one .history > li { grid-template-columns: auto auto 1fr; padding: 6px 0; }
        .one .history .diffs { grid-column: 1 / -1; }
        .one .history-list .note { padding: 0; }

        /* Changes. */
        .feed { --columns: 112px 76px minmax(80px, 140px) minmax(90px, 180px) minmax(240px, 1fr) 110px; }
        .feed .row { height: 26px; line-height: 25px; font-family: var(--sans); }
        .feed .row > span { padding-left: 16px; }
        .feed .row > .time, .feed .row > .who { line-height: 25px; }
        .feed .sheet { min-width: 760px; }
        .feed .id, .feed .type { font-family: var(--mono); }
        .feed .diffs { display: block; }
        .feed .diff { line-height: inherit; margin-right: 18px; }
        .feed .rows .row { cursor: pointer; }
        .tools > .spark { width: 140px; height: 26px; }
        .tools .count { min-width: 104px; text-align: right; }

        /* Compare, the token, the keys. */
        .answer { display: grid; gap: 12px; }
        .answer > * { min-width: 0; }
        .answer code { color: var(--dim); font-weight: 400; }
        .answer .panel > h3 { font-size: 13px; }
        .answer .panel .state { white-space: normal; }
        .differences td { white-space: normal; }
        .small-text { font-size: 11.5px; }
        .token { max-width: 520px; margin: 8vh auto; display: grid; gap: 12px; padding: 22px 24px; }
        .token input { flex: 1; }
        .token label { font-weight: 600; margin-bottom: -8px; }
        dialog { border: 1px solid var(--line-strong); border-radius: 12px; padding: 22px 26px; max-width: 420px;
          background: var(--panel); color: inherit; }
        dialog::backdrop { background: rgb(0 0 0 / .35); }
        .keys { display: grid; gap: 7px; margin: 14px 0; }
        .keys > div { display: grid; grid-template-columns: 76px 1fr; }
        dialog .dim { margin-bottom: 14px; }
        .switch { display: flex; gap: 8px; align-items: baseline; margin-bottom: 14px; }

        /* Narrower. */
        @media (max-width: 1080px) {
          .split.with-detail { grid-template-columns: minmax(0, 1fr) minmax(340px, 44%); }
          .with-detail .types { display: none; }
          .split { grid-template-columns: 150px minmax(0, 1fr); }
        }
        @media (max-width: 860px) {
          .bar { flex-wrap: wrap; padding: 0 12px; }
          .bar nav { order: 3; flex: 1 0 100%; margin: 0 -4px; }
          .tabs a { padding: 7px 8px 8px; }
          .brand, .bar .tools { min-height: 42px; }
          .brand { flex: 1; }
          main { padding: 14px 12px; }
          .split, .split.with-detail { display: flex; flex-direction: column; position: relative; }
          .types { border: 0; padding: 10px 12px 0; overflow: visible; }
          .types h3, .types ul { display: none; }
          .types select { display: block; width: 100%; }
          .types .note { padding: 6px 0 0; }
          .models { flex: 1; }
          .models > .tools, .view-changes > .tools { padding: 10px 12px; }
          .detail { position: absolute; inset: 0; z-index: 6; border: 0; }
          .tools input:not([type=checkbox]) { flex: 1 1 120px; max-width: none; }
          .history > li { grid-template-columns: auto auto 1fr; }
          .history > li .what { grid-column: 1 / -1; order: 1; }
          .history > li .diffs { grid-column: 1 / -1; order: 2; }
          .tools > .spark { flex: 1; }
        }
        @media (max-width: 480px) {
          .process { max-width: 15ch; }
          .bar:has(#forget:not([hidden])) .wordmark { display: none; }
          .contact { min-width: 0; margin-right: 0; }
          .tabs { justify-content: space-between; gap: 0; }
          .tabs a { padding: 7px 5px 8px; }
          .tiles { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 8px; }
          .tile { padding: 10px 12px; }
          .tile .figure { font-size: 21px; }
          .tile .spark { width: 38%; }
          .feed { --columns: 112px 92px minmax(190px, 1fr); }
          .feed .sheet { min-width: 0; }
          .feed .row > :is(:nth-child(2), :nth-child(3), :nth-child(6)) { display: none; }
          .feed .row > span { padding-left: 12px; }
        }
        @media (min-width: 960px) {
          .panels:has(> .stack:not(:empty)) { grid-template-columns: minmax(0, 1fr) minmax(256px, 22%); }
        }
        @media (min-width: 1700px) {
          .stack { grid-template-columns: repeat(2, minmax(0, 1fr)); }
          .stack > :is(.panel-origins, .panel-peers) { grid-column: 1 / -1; }
          main { padding: 24px 32px; }
          .view-models, .view-changes { padding: 0; }
        }
        @media (prefers-reduced-motion: reduce) {
          * { transition: none !important; }
        }
        @media (forced-colors: active) {
          .state svg, .mark { forced-color-adjust: none; }
        }
        """#
}
