import { escapeHtml } from '../../lib/html.ts';
import type { SampleAccount, SampleDealer } from '../data/types.ts';
import type { ServiceContext } from '../state/context.ts';
import { page } from './html.ts';

const STYLE = `
body{margin:0;background:#f4f5f7;color:#14181d;font:16px/1.55 system-ui,sans-serif}
main{max-width:64rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:2rem;margin:0}
h2{margin:2.5rem 0 .5rem;font-size:1.25rem}
table{border-collapse:collapse;width:100%;background:#fff;border-radius:10px;overflow:hidden;box-shadow:0 1px 4px #0002}
th,td{padding:.55rem .9rem;text-align:left;border-top:1px solid #e5e8ec}
th{background:#fafbfc;font-weight:600;border-top:0}
code{font-size:.9em;overflow-wrap:anywhere}
.strip{display:grid;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr));gap:1rem}
.strip img{display:block;width:100%;aspect-ratio:4/3;object-fit:cover;border-radius:10px}
`;

const PICTURES_SHOWN = 6;

/** The root page: what is served, with which keys, and addresses to try. */
export function frontPage(context: ServiceContext): string {
  const { baseUrl, data } = context;
  return page(
    'Sample service',
    STYLE,
    `<main>
<h1>Sample service</h1>
<p>Vehicle media and batch data, for demos, tests and theme work. Everything here is invented.</p>
<div class="strip">${pictures(context)}</div>
<h2>Media of a dealer</h2>
<p>Key: <code>${escapeHtml(context.mediaKey)}</code></p>
<table><tr><th>Dealer</th><th>Id</th><th>Vehicles</th><th>Answer</th></tr>
${data.dealers.map((dealer) => dealerRow(context, dealer)).join('\n')}
</table>
<h2>Batches of an account</h2>
<p>Key: <code>${escapeHtml(context.batchKey)}</code></p>
<table><tr><th>Account</th><th>customerId</th><th>Batches</th><th>Answer</th></tr>
${data.accounts.map((account) => accountRow(context, account)).join('\n')}
</table>
<h2>More</h2>
<p><a href="${baseUrl}/openapi.json">openapi.json</a> describes both operations.
<a href="${baseUrl}/_requests">_requests</a> lists what was asked, <a href="${baseUrl}/_faults">_faults</a> the faults in force.</p>
</main>`,
  );
}

const link = (url: string): string =>
  `<a href="${escapeHtml(url)}"><code>${escapeHtml(url)}</code></a>`;

function dealerRow({ baseUrl, mediaKey }: ServiceContext, dealer: SampleDealer): string {
  const query = new URLSearchParams({
    apiKey: dealer.apiKey ?? mediaKey,
    dealerId: `${dealer.id}`,
  });
  return `<tr><td>${escapeHtml(dealer.name)}</td><td>${dealer.id}</td><td>${dealer.vehicles.length}</td><td>${link(`${baseUrl}/PublicAPI/GetMediaByDealer?${query}`)}</td></tr>`;
}

function accountRow({ baseUrl, batchKey }: ServiceContext, account: SampleAccount): string {
  const query = new URLSearchParams({
    customerId: account.customerId,
    apiKey: account.apiKey ?? batchKey,
    daysOfHistory: '30',
  });
  const path = `/PublicAPI/MyVideos/v1/cakes/${encodeURIComponent(account.pathId)}`;
  return `<tr><td>${escapeHtml(account.name)}</td><td>${escapeHtml(account.customerId)}</td><td>${account.batches.length}</td><td>${link(`${baseUrl}${path}?${query}`)}</td></tr>`;
}

function pictures({ baseUrl, data }: ServiceContext): string {
  return data.dealers
    .flatMap((dealer) => dealer.vehicles)
    .flatMap(({ mediaList }) => mediaList.find((item) => item.type === 'Image') ?? [])
    .slice(0, PICTURES_SHOWN)
    .map(({ mediaUrl, label }) => {
      const address = mediaUrl.replaceAll('{base_url}', baseUrl);
      return `<img src="${escapeHtml(address)}" alt="${escapeHtml(label)}" loading="lazy">`;
    })
    .join('');
}
