import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import { describeError } from '../errors.ts';
import { isCard } from '../images/card/card.ts';
import { drawCards } from '../images/card/draw.ts';
import { escapeHtml } from '../lib/html.ts';
import type { SiteData, SiteState } from '../render/plugin.ts';

interface Answer {
  status: 200 | 404 | 500;
  type: string;
  body: string | Uint8Array;
}

const HTML = 'text/html; charset=utf-8';

const LOOPBACK = /^(?:::1|(?:::ffff:)?127\.)/;

const errorPage = (error: unknown): Answer => ({
  status: 500,
  type: HTML,
  body: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Error</title></head><body><main><h1>This page cannot be shown</h1><pre>${escapeHtml(describeError(error))}</pre><p>Correct the file: the page is then shown automatically.</p></main></body></html>`,
});

/** A page or file as a build writes it. Undefined if there is none. @throws the error of a template. */
async function contentOf(
  { pages, files, cards, render }: SiteState,
  name: string,
): Promise<Answer | undefined> {
  const page = pages.find(({ file }) => file === name);
  const planned = files.find(({ file }) => file === name);
  const content = page ? render(page) : planned?.content();
  let body = content === undefined || isCard(content) ? undefined : content;
  if (planned && content !== undefined && isCard(content) && cards) {
    await drawCards([{ ...planned, card: content }], cards, (_, bytes) => {
      body = bytes;
    });
  }
  if (body === undefined) return undefined;
  if (name.endsWith('.html')) return { status: 200, type: HTML, body: String(Buffer.from(body)) };
  return { status: 200, type: getMimeType(name) ?? 'application/octet-stream', body };
}

/** The path of a request. If it is not a valid URL, such as `/%E0`, it stays encoded. */
function pathIn(url = '/'): string {
  try {
    return decodeURI(url.replace(/[?#].*$/s, ''));
  } catch {
    return url;
  }
}

/** Answers for a path below the site's home, which ends with a slash. */
async function answerTo(
  asked: string,
  state: SiteState,
  mediaFolder: string | undefined,
): Promise<Answer> {
  const [, picture] = /^media\/((?:\w+\/)*[\w-]+\.\w+)$/.exec(asked) ?? [];
  if (picture && mediaFolder) {
    const body = await readFile(path.join(mediaFolder, picture)).catch(() => undefined);
    if (body) return { status: 200, type: getMimeType(picture) ?? '', body };
  }
  const name = /(?:^|\/)$/.test(asked) ? `/${asked}index.html` : `/${asked}`;
  return (
    (await contentOf(state, name)) ?? {
      ...((await contentOf(state, '/404.html')) ?? { type: HTML, body: '' }),
      status: 404,
    }
  );
}

/**
 * Options of Eleventy's server: each page is rendered on request, so a change is shown before all pages could be
 * written. An error is shown in place of every page that it affects.
 */
export function serverOptions(data: SiteData) {
  const middleware = async (request: IncomingMessage, response: ServerResponse) => {
    // Eleventy listens on all networks, and these pages are not checked as in a build.
    if (!LOOPBACK.test(request.socket.remoteAddress ?? '')) {
      response.writeHead(403).end();
      return;
    }
    const { state } = data;
    const asked = pathIn(request.url);
    if (state && !asked.startsWith(state.home)) {
      response.writeHead(302, { Location: state.home }).end();
      return;
    }
    const found = !state
      ? errorPage(data.problem)
      : await answerTo(asked.slice(state.home.length), state, data.mediaFolder).catch(errorPage);
    // Eleventy adds its script for live reload to texts that are HTML.
    response.statusCode = found.status;
    response.setHeader('Content-Type', found.type);
    response.setHeader('Cache-Control', 'no-store');
    response.end(found.body);
  };
  return {
    middleware: [middleware],
    domDiff: false,
    // Eleventy's list of style sheets has only copied ones. Without it, Eleventy replaces those of the open page.
    ready(server: { reload(event: object): void }) {
      const reload = server.reload.bind(server);
      server.reload = (event) => reload({ ...event, build: {} });
    },
  };
}
