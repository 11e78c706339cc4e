import { escapeHtml } from '../html.ts';

export interface SnippetInput {
  /** Absolute address of embed.js. */
  script: string;
  dealerSlug: string;
  vrm: string;
  /** Whether the plate finds exactly this vehicle. */
  findable: boolean;
  /** Absolute address of the embed page. */
  embedUrl: string;
  /** Absolute address of the vehicle's page, and its name: what is there without JavaScript. */
  pageUrl: string;
  fullName: string;
}

/** The lines that put a vehicle's gallery on another website. */
export function embedSnippet(input: SnippetInput): string {
  const { script, dealerSlug, vrm, findable, embedUrl, pageUrl, fullName } = input;
  const which = findable
    ? `dealer="${dealerSlug}" vrm="${escapeHtml(vrm)}"`
    : `src="${escapeHtml(embedUrl)}"`;
  return [
    `<script async src="${script}"></script>`,
    `<vehicle-media ${which}><a href="${escapeHtml(pageUrl)}">${escapeHtml(fullName)}</a></vehicle-media>`,
  ].join('\n');
}
