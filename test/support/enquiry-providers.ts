import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { serve } from './server.ts';

/* Servers that accept enquiries like the documented providers. */

export type Fields = Record<string, string>;

/** A certificate only for these tests, which the browser is told to accept. */
const CERTIFICATE = {
  key: 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgM6UFbHD/sGChESrl958D11mreJIe5qyj0SlFqne1/6OhRANCAASD0WyD+WB4bFW3pU7tuQESvbYoQmObBuzhu6pKwQeHgajXifLPcrhqYwVXLbQLwgiyLar9wlJo6OaMFy+vwUg9',
  cert: 'MIIBiDCCAS2gAwIBAgIUM7RQuVJxpIGY6aMPCriDw+IeG9UwCgYIKoZIzj0EAwIwGDEWMBQGA1UEAwwNcHJvdmlkZXIudGVzdDAgFw0yNjExMjMwMTI1MzdaGA8yMTI2MTAzMDAxMjUzN1owGDEWMBQGA1UEAwwNcHJvdmlkZXIudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIPRbIP5YHhsVbelTu25ARK9tihCY5sG7OG7qkrBB4eBqNeJ8s9yuGpjBVcttAvCCLItqv3CUmjo5owXL6/BSD2jUzBRMB0GA1UdDgQWBBSA7evZys3DUNsKYBCwuh7d1yV9MjAfBgNVHSMEGDAWgBSA7evZys3DUNsKYBCwuh7d1yV9MjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQCBAOyC0i4+UkbY5yFE4H6ojxtrHGAFtvJjaDACgqgqxAIhAMaZTW1XwLU0UwL+iPSARE9m1ZqBgqvgHs7D0SM43J/v',
};
const pem = (label: string, body: string) =>
  `-----BEGIN ${label}-----\n${body.replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;

async function fieldsOf(request: IncomingMessage): Promise<Fields> {
  return Object.fromEntries(new URLSearchParams(await text(request)));
}

const CORS = { 'access-control-allow-origin': '*' };

function json(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, { ...CORS, 'content-type': 'application/json' });
  response.end(JSON.stringify(content));
}

function page(response: ServerResponse, status: number, content: string): void {
  response.writeHead(status, { ...CORS, 'content-type': 'text/html' });
  response.end(`<!doctype html><title>x</title><h1>${content}</h1>`);
}

/** Confirms an enquiry: as JSON if requested, otherwise with a page or a redirect. */
function confirm(
  request: IncomingMessage,
  response: ServerResponse,
  { to, content }: { to: string | undefined; content: object },
): void {
  if (request.headers.accept?.includes('json')) json(response, 200, content);
  else if (to === undefined) page(response, 200, 'Thanks!');
  else response.writeHead(302, { location: to }).end();
}

export interface Providers extends AsyncDisposable {
  /** Port of the server for the hosts of Formspree and Web3Forms, and for the script of `stats.example`. */
  port: number;
  /** A URL that accepts forms. */
  address: string;
  /** The site as served by Netlify, with a trailing slash. */
  netlify: string;
  /** Accepted enquiries, in order. */
  sent: Fields[];
  /** Next response of the URL instead of accepting the enquiry. `silence` sends no response. */
  trouble: 'none' | 'refusal' | 'refusal with status 200' | 'fault' | 'silence' | 'redirect';
  /** The site that `netlify` serves. */
  site: { url: string; folder: string };
}

const KEY = /^[0-9a-f-]{36}$/;

export async function openProviders(): Promise<Providers> {
  const sent: Fields[] = [];
  const overTls = await serve(
    async (request, response) => {
      const fields = await fieldsOf(request);
      const wantsJson = request.headers.accept?.includes('json') === true;
      if (request.headers.host === 'formspree.io' && request.url?.startsWith('/f/')) {
        if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(fields.email ?? '')) {
          const message = 'should be an email';
          return wantsJson
            ? json(response, 422, { errors: [{ code: 'TYPE_EMAIL', field: 'email', message }] })
            : page(response, 422, message);
        }
        if (!fields._gotcha) sent.push(fields);
        const { _next } = fields;
        return confirm(request, response, { to: _next, content: { ok: true, next: '/thanks' } });
      }
      if (request.headers.host === 'api.web3forms.com' && request.url === '/submit') {
        if (!KEY.test(fields.access_key ?? '') || fields.botcheck !== undefined) {
          return json(response, 400, { success: false, message: 'Not accepted' });
        }
        sent.push(fields);
        const { redirect: to } = fields;
        return confirm(request, response, {
          to,
          content: { success: true, message: 'Email sent' },
        });
      }
      if (request.headers.host === 'stats.example') {
        response.writeHead(200, { 'content-type': 'text/javascript' });
        response.end('window.counted = 1;');
        return;
      }
      page(response, 404, 'Form not found');
    },
    { key: pem('PRIVATE KEY', CERTIFICATE.key), cert: pem('CERTIFICATE', CERTIFICATE.cert) },
  );
  const overHttp = await serve(async (request, response) => {
    const fields = await fieldsOf(request);
    const { trouble } = providers;
    providers.trouble = 'none';
    if (trouble === 'silence') return;
    const message = 'The <b>box</b> is full.';
    if (trouble === 'refusal') return json(response, 400, { message });
    if (trouble === 'refusal with status 200') {
      return json(response, 200, { success: false, message });
    }
    if (trouble === 'fault') return page(response, 500, 'Internal error');
    sent.push(fields);
    if (trouble === 'redirect') {
      response.writeHead(303, { ...CORS, location: `${fields.page}#sent` }).end();
    } else confirm(request, response, { to: `${fields.page}#sent`, content: {} });
  });
  const atNetlify = await serve(async (request, response) => {
    const { url, folder } = providers.site;
    if (request.method === 'POST') {
      const fields = await fieldsOf(request);
      const declared = await readFile(path.join(folder, 'netlify-forms.html'), 'utf8');
      const form = declared
        .split('<form')
        .find((one) => one.includes(` name="${fields['form-name']}" `));
      const known = Object.keys(fields).every(
        (name) => name === 'form-name' || form?.includes(`<input name="${name}">`),
      );
      if (!form?.includes('data-netlify="true"') || !known) return page(response, 404, 'No form');
      if (fields['bot-field'] === '') sent.push(fields);
    }
    const { pathname } = new URL(request.url ?? '/', url);
    // Its headers are forwarded with the response.
    const answer = await fetch(new URL(pathname, url), {
      headers: { 'accept-encoding': 'identity' },
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const providers: Providers = {
    port: Number(new URL(overTls.url).port),
    address: `${overHttp.url}/take`,
    netlify: `${atNetlify.url}/`,
    sent,
    trouble: 'none',
    site: { url: '', folder: '' },
    [Symbol.asyncDispose]: async () => {
      for (const server of [overTls, overHttp, atNetlify]) await server.close();
    },
  };
  return providers;
}
