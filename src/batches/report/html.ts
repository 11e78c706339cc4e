import { escapeHtml } from '../../lib/html.ts';

export interface Table {
  caption: string;
  head: readonly string[];
  /** The first cell names the row. */
  rows: readonly (readonly (string | number)[])[];
}

const numbers = new Intl.NumberFormat('en-GB');

const cellText = (cell: string | number): string =>
  escapeHtml(typeof cell === 'number' ? numbers.format(cell) : cell);

export const count = (value: number): string => numbers.format(value);

/** A table with a caption and with headers that name their column or row. */
export function tableHtml({ caption, head, rows }: Table): string {
  const header = head.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const body = rows.map(([first = '', ...rest]) => {
    const cells = rest.map((cell) => `<td>${cellText(cell)}</td>`).join('');
    return `<tr><th scope="row">${cellText(first)}</th>${cells}</tr>`;
  });
  return `<div class="scroll" role="region" aria-label="${escapeHtml(caption)}" tabindex="0"><table>
<caption>${escapeHtml(caption)}</caption>
<thead><tr>${header}</tr></thead>
<tbody>${body.join('\n')}</tbody>
</table></div>`;
}
