import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import { tryDecodeURI } from 'hono/utils/url';
import { describeError } from '../errors.ts';
import { isCard } from '../images/card/card.ts';
import { CardDrawer } from '../images/card/draw.ts';
import { escapeHtml } from '../lib/html.ts';
import type { SiteData, SiteState } from '../render/plugin.ts';

interface Answer {
  status: 200 | 404 | 500;
  /** Name of the file, which decides the type. */
  name: string;
  body: string | Uint8Array;
}

/** In pages with an error, Eleventy's script for live reload is inline, which the policy would block. */
const POLICY = /<meta http-equiv="Content-Security-Policy"[^>]*>/;

/** The part of Eleventy's server that is used here. */
interface DevServer {
  reload(event: object): void;
  updateServer: { clients: Set<unknown>; on(event: 'connection', listener: () => void): void };
}

const LOOPBACK = /^(?:::1|(?:::ffff:)?127\.)/;

const errorPage = (error: unknown): Answer => ({
  status: 500,
  name: 'error.html',
  body: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Error</title></head><body><main><h1>This page cannot be shown</h1><pre>${escapeHtml(describeError(error))}</pre><p>Correct the file: the page is then shown automatically.</p></main></body></html>`,
});

/** A page or file as a build writes it. Undefined if it does not exist. @throws the error of a template. */
async function contentOf({ pages, files, cards, render }: SiteState, name: string) {
  const page = pages.find(({ file }) => file === name);
  if (page) return render(page);
  const planned = files.find(({ file }) => file === name);
  if (!planned) return undefined;
  const content = planned.content();
  if (!isCard(content)) return content;
  if (!cards) return undefined;
  let card: Uint8Array | undefined;
  await using drawer = new CardDrawer(cards);
  await drawer.draw([{ ...planned, card: content }], (_, { bytes }) => {
    card = bytes;
  });
  return card;
}

/** The response for a path relative to the site's home. */
async function answerTo(
  urlPath: string,
  state: SiteState,
  mediaFolder: string | undefined,
): Promise<Answer> {
  const [, picture] = /^media\/((?:\w+\/)*[\w-]+\.\w+)$/.exec(urlPath) ?? [];
  const name = /(?:^|\/)$/.test(urlPath) ? `/${urlPath}index.html` : `/${urlPath}`;
  const body =
    picture && mediaFolder
      ? await readFile(path.join(mediaFolder, picture)).catch(() => undefined)
      : await contentOf(state, name);
  if (body !== undefined) return { status: 200, name, body };
  const notFound = (await contentOf(state, '/404.html')) ?? '';
  return { status: 404, name: '404.html', body: String(notFound).replace(POLICY, '') };
}

/**
 * Options of Eleventy's server: each page is rendered on request, so a change is shown before all pages could be
 * written. An error is shown in place of every page that it affects.
 */
export function serverOptions(data: SiteData) {
  /** Whether the last page was served before a change, and was not connected when the change was announced. */
  let isMissed = false;
  const middleware = async (request: IncomingMessage, response: ServerResponse) => {
    // Eleventy listens on all networks, and these pages are not checked as in a build.
    if (!LOOPBACK.test(request.socket.remoteAddress ?? '')) {
      response.writeHead(403).end('Open this site on the machine that serves it.\n');
      return;
    }
    const { state } = data;
    const urlPath = tryDecodeURI((request.url ?? '/').replace(/[?#].*$/s, ''));
    if (state && !urlPath.startsWith(state.home)) {
      response.writeHead(302, { Location: state.home }).end();
      return;
    }
    const answer = !state
      ? errorPage(data.problem)
      : await answerTo(urlPath.slice(state.home.length), state, data.mediaFolder).catch((error) => {
          process.stderr.write(`${describeError(error)}\n`);
          return errorPage(error);
        });
    const { status, name, body } = answer;
    const type = getMimeType(name) ?? 'application/octet-stream';
    const isPage = type.startsWith('text/html');
    if (isPage && data.state === state) isMissed = false;
    // Without the mark, Eleventy would set a policy that blocks the scripts of the page not found.
    Object.assign(response, { statusCode: status, isCustomErrorPage: true });
    response.setHeader('Content-Type', type);
    response.setHeader('Cache-Control', 'no-store');
    // It adds its script for live reload to texts that are HTML.
    response.end(isPage ? String(Buffer.from(body)) : body);
  };
  return {
    middleware: [middleware],
    domDiff: false,
    ready(server: DevServer) {
      const reload = server.reload.bind(server);
      let hadProblem = false;
      server.reload = (event) => {
        const isError = data.problem !== undefined;
        // An error replaces the page. Otherwise a changed style sheet is loaded again, without the list of copied
        // style sheets, which has none.
        reload(isError || hadProblem ? {} : { ...event, build: {} });
        hadProblem = isError;
        isMissed = server.updateServer.clients.size === 0;
      };
      server.updateServer.on('connection', () => isMissed && reload({}));
    },
  };
}
