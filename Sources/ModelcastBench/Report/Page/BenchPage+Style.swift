extension BenchPage {
    /// The style sheet, for light and dark, wide and narrow screens. It has no `<` and no `&`, so that the page is XML
    /// as well.
    static let style = """
        :root {
          --back: #fbfbfa; --panel: #ffffff; --text: #1c1f23; --soft: #5b636e; --edge: #dfe3e8; --grid: #e8ebef;
          --good: #0b6b3a; --good-back: #dff3e6; --bad: #a3231b; --bad-back: #fbe4e1;
          --c0: #1764d8; --c1: #c75c00; --c2: #0b8068; --c3: #9a2f8b; --c4: #6a6f00; --c5: #5b4bc4;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --back: #131518; --panel: #1b1e22; --text: #e7e9ec; --soft: #a2abb6; --edge: #343a42; --grid: #2b3037;
            --good: #7fdca4; --good-back: #14351f; --bad: #ff9d92; --bad-back: #451a17;
            --c0: #74aeff; --c1: #ffab5e; --c2: #52d3b4; --c3: #e795db; --c4: #d3d867; --c5: #b1a5ff;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; background: var(--back); color: var(--text); line-height: 1.45;
          font: 16px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
        }
        main { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
        h1 { font-size: 1.7rem; margin: 0 0 .6rem; }
        h2 { font-size: 1.2rem; margin: 2.2rem 0 .8rem; }
        h2::first-letter { text-transform: uppercase; }
        .verdict { padding: .55rem .8rem; border-radius: .4rem; font-weight: 600; margin: 0 0 1rem; }
        .good { color: var(--good); background: var(--good-back); }
        .bad { color: var(--bad); background: var(--bad-back); }
        dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: .5rem 1.5rem;
          margin: 0; }
        dl.settings { grid-template-columns: repeat(auto-fill, minmax(min(100%, 14rem), 1fr)); margin-top: .6rem; }
        dl div:last-child { grid-column: 1 / -1; }
        dl.settings div:first-child { grid-column: 1 / -1; }
        dt { color: var(--soft); font-size: .8rem; }
        dd { margin: 0; overflow-wrap: anywhere; }
        code { font: .85em/1.4 ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; }
        details { margin-top: .9rem; }
        summary { cursor: pointer; color: var(--soft); }
        .marks { list-style: none; padding: 0; margin: 0; display: grid; gap: .7rem;
          grid-template-columns: repeat(auto-fill, minmax(min(100%, 15.5rem), 1fr)); }
        .marks li { background: var(--panel); border: 1px solid var(--edge); border-radius: .5rem;
          padding: .7rem .85rem; display: flex; flex-wrap: wrap; align-items: baseline; align-content: space-between;
          gap: .15rem .6rem; }
        .marks .scenario { color: var(--soft); font-size: .8rem; width: 100%; }
        .marks .name { width: 100%; }
        .marks strong { font-size: 1.5rem; font-variant-numeric: tabular-nums; }
        .marks .beside { color: var(--soft); font-size: .8rem; width: 100%; }
        .badge { font-size: .8rem; font-weight: 600; padding: .1rem .5rem; border-radius: 1rem; white-space: nowrap; }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .92rem; }
        th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--edge); text-align: right; vertical-align: top; }
        th:first-child { text-align: left; font-weight: 400; padding-left: 0; }
        thead th { color: var(--soft); font-size: .8rem; font-weight: 400; position: sticky; top: 0;
          background: var(--back); }
        td { white-space: nowrap; }
        td small { color: var(--soft); display: block; font-size: .78rem; }
        tr.part th { font-weight: 700; padding-top: 1.3rem; font-size: 1rem; }
        tr.part span { font-weight: 400; color: var(--soft); font-size: .85rem; margin-left: .4rem; }
        .note { color: var(--soft); font-size: .9rem; margin: .6rem 0 0; }
        .charts { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); }
        figure { margin: 0; background: var(--panel); border: 1px solid var(--edge); border-radius: .5rem;
          padding: .8rem; }
        figcaption { font-weight: 600; margin-bottom: .4rem; }
        figure svg { display: block; width: 100%; height: auto; }
        figure ul { list-style: none; margin: .4rem 0 0; padding: 0; display: flex; flex-wrap: wrap;
          gap: .2rem 1.1rem; font-size: .85rem; }
        figure li { display: flex; align-items: center; gap: .45rem; }
        figure li svg { width: 28px; height: 8px; flex: none; }
        .grid { stroke: var(--grid); fill: none; }
        .tick, .axis { fill: var(--soft); font-size: 11px; }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
        .hover { fill: transparent; }
        .hover:hover { fill: var(--soft); }
        .dot { stroke-width: 4; }
        .c0 { stroke: var(--c0); } .c1 { stroke: var(--c1); } .c2 { stroke: var(--c2); }
        .c3 { stroke: var(--c3); } .c4 { stroke: var(--c4); } .c5 { stroke: var(--c5); }
        .d1 { stroke-dasharray: 6 4; } .d2 { stroke-dasharray: 2 3; } .d3 { stroke-dasharray: 10 3 2 3; }
        @media (max-width: 44rem) {
          thead { display: none; }
          table, tbody, tr, th, td { display: block; }
          tbody tr { padding: .45rem 0; border-bottom: 1px solid var(--edge); display: flex; flex-wrap: wrap;
            gap: .1rem 1rem; }
          th, td { padding: 0; border: 0; text-align: left; }
          tbody tr th { width: 100%; }
          tr.part th { padding-top: 1rem; }
          tr.part span { display: block; margin-left: 0; }
          td.empty { display: none; }
          td::before { content: attr(data-label); color: var(--soft); font-size: .75rem; display: block; }
          .tick, .axis { font-size: 13px; }
        }
        @media print { body { background: #fff; } figure, .marks li { break-inside: avoid; } }
        """
}
