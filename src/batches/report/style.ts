/** The report's whole style. The page's policy names its hash, so it must be written unchanged. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f5f6f8; --card: #fff; --text: #1b2430; --soft: #5a6675; --line: #e3e7ec;
  --track: #eef1f5; --accent: #2f6fdf; --accent-soft: #2f6fdf1f; --second: #0d8f6f;
  --warn: #8a4b00; --warn-soft: #fff4e3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --card: #1a2029; --text: #e7ebf1; --soft: #a3afbd; --line: #2b333f;
    --track: #242c37; --accent: #7aa8ff; --accent-soft: #7aa8ff26; --second: #4fd3ad;
    --warn: #ffcf8f; --warn-soft: #33270f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 2.5rem 1.25rem 4rem; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main, header, footer { max-width: 68rem; margin-inline: auto; }
h1 { font-size: 1.9rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 .35rem; }
h2 { font-size: 1.15rem; letter-spacing: -.01em; margin: 0 0 .25rem; }
p { margin: 0 0 .75rem; }
.lead, .note, footer { color: var(--soft); }
.note, footer { font-size: .9rem; }
.tiles { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); margin: 1.75rem 0 1.25rem; padding: 0; }
.tile, section { background: var(--card); border: 1px solid var(--line); border-radius: 14px; }
.tile { padding: 1rem 1.15rem; }
.tile dt { color: var(--soft); font-size: .9rem; }
.tile dd { margin: .1rem 0 0; font-size: 1.8rem; font-weight: 650; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.tile dd small { display: block; font-size: .85rem; font-weight: 400; letter-spacing: 0; color: var(--soft); }
.grid { display: grid; gap: 1.25rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
.wide { grid-column: 1 / -1; }
@media (max-width: 62rem) { .grid { grid-template-columns: minmax(0, 1fr); } }
section { padding: 1.35rem 1.4rem 1.1rem; display: flex; flex-direction: column; }
.plot { overflow-x: auto; margin: .6rem 0 .5rem; }
.plot svg { display: block; width: 100%; height: auto; }
.long svg { min-width: 44rem; }
.short svg { max-width: 29rem; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: .4rem 0 0; padding: 0; font-size: .9rem; color: var(--soft); }
.legend li::before { content: ""; display: inline-block; width: .8rem; height: .8rem; border-radius: 3px; margin-right: .45rem; vertical-align: -.08rem; background: var(--accent); }
.legend .second::before { background: var(--second); }
.legend .hole::before { background: var(--warn-soft); border: 1px solid var(--warn); }
.holes { margin: .5rem 0 0; padding-left: 1.1rem; }
.holes li { margin-bottom: .6rem; }
.holes span { display: block; color: var(--soft); font-size: .9rem; }
details { margin-top: auto; border-top: 1px solid var(--line); padding-top: .7rem; font-size: .9rem; }
summary { cursor: pointer; color: var(--soft); border-radius: 4px; }
summary:focus-visible, .plot:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin-top: .6rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: .35rem; }
th, td { text-align: right; padding: .4rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
thead th { color: var(--soft); font-weight: 550; }
tbody th { font-weight: 450; min-width: 7rem; overflow-wrap: anywhere; }
td { white-space: nowrap; }
.warn { background: var(--warn-soft); color: var(--warn); border-radius: 10px; padding: .7rem .95rem; }
footer { margin-top: 2rem; }
@media print { body { background: #fff; padding: 0; } section { break-inside: avoid; } }
`;
