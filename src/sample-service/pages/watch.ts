import { escapeHtml } from '../../lib/html.ts';
import type { Located } from '../data/store.ts';
import { page } from './html.ts';

const STYLE = `
body{margin:0;background:#f4f5f7;color:#14181d;font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem}
a{display:block;position:relative;border-radius:12px;overflow:hidden;box-shadow:0 8px 30px #0003}
img{display:block;width:100%;aspect-ratio:16/9;object-fit:cover}
a span{position:absolute;inset:auto 0 0;padding:2.5rem 1.25rem 1rem;background:linear-gradient(#0000,#000c);color:#fff;font-weight:600}
h1{margin:1.25rem 0 .25rem;font-size:1.5rem;overflow-wrap:anywhere}
p{margin:0;color:#59636e;overflow-wrap:anywhere}
`;

/** The watch page of a hosted video: its still, which leads to the player, and what it shows. */
export function watchPage(
  { dealer, vehicle, item }: Located,
  baseUrl: string,
  code: string,
): string {
  return page(
    `${item.label} – ${dealer.name}`,
    STYLE,
    `<main>
<a href="${baseUrl}/hosted/embed/${escapeHtml(code)}?autoplay=1"><img src="${baseUrl}/posters/${item.id}.jpg" alt=""><span>▶ Play</span></a>
<h1>${escapeHtml(item.label)}</h1>
<p>${escapeHtml(`${dealer.name} · ${vehicle.vrm}`)}</p>
</main>`,
  );
}
