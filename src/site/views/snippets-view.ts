import { escapeHtml } from '../../lib/html.ts';
import { EMBED_SCRIPT } from './assets.ts';
import type { DealerContext } from './context.ts';
import { embedAt, pageAt } from './site-url.ts';
import type { SnippetsView } from './view.ts';

/** The plate in the embed code until the dealer types another one. */
const PLATE = 'AB12 CDE';

/** A frame cannot follow its content. A square is a little higher than a gallery of any width. */
export const FRAME =
  'width="100%" height="600" style="border:0;height:auto;min-height:420px;aspect-ratio:1" loading="lazy" allow="autoplay; encrypted-media; picture-in-picture" allowfullscreen';

/** The page with the embed code for other websites. It is for the dealer, not for search engines. */
export function snippetsView(context: DealerContext): SnippetsView {
  const { dealer, link, place, assets, texts, frame, policy } = context;
  const { words } = texts;
  const home = `${place.origin}${place.root}`;
  const list = `${place.origin}${link.url}`;
  const embeds = embedAt(place, `/${dealer.slug}/`).canonical;
  // In a further language, with its folder.
  const dealerPath = `${place.folder}/${dealer.slug}`.slice(1);
  const name = escapeHtml(dealer.name);
  return {
    ...frame,
    ...pageAt(place, `/${dealer.slug}/embed/`),
    title: `${words.embedHeading} – ${dealer.name}`,
    description: words.embedText,
    noindex: true,
    // The preview frames pages of the site.
    policy: policy(["'self'"]),
    scripts: [`${place.root}/${EMBED_SCRIPT}`, assets.script('snippets.js'), ...frame.scripts],
    dealer: link,
    plate: PLATE,
    plates: `${place.root}/${dealer.slug}/plates.json`,
    embeds,
    snippets: [
      {
        label: words.embedCode,
        lines: [
          `<script async src="${home}/${EMBED_SCRIPT}"></script>`,
          `<vehicle-media dealer="${dealerPath}" vrm="${PLATE}"><a href="${list}">${name}</a></vehicle-media>`,
        ].join('\n'),
      },
      {
        label: words.embedFrame,
        lines: `<iframe src="${embeds}find/#vrm=${encodeURIComponent(PLATE)}" title="${PLATE}" ${FRAME}></iframe>`,
      },
      { label: words.embedData, lines: `${home}/${dealer.slug}/media.json` },
    ],
  };
}
