import { request } from 'node:http';
import { serve } from './server.ts';

/** A constant URL with a changing target, like a DNS name. */
export interface Front extends AsyncDisposable {
  /** Without a trailing slash. */
  url: string;
  /** Target of requests, without a trailing slash. */
  to: string;
  /** Paths with a fixed text as response, with a leading slash. */
  instead: Map<string, { status: number; text: string }>;
}

export async function startFront(to: string): Promise<Front> {
  const server = await serve((asked, response) => {
    const { method, headers, url = '/' } = asked;
    const instead = front.instead.get(url.replace(/\?.*/, ''));
    if (instead) return response.writeHead(instead.status).end(instead.text);
    const passed = request(front.to + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    asked.pipe(passed);
  });
  const front: Front = {
    url: server.url,
    to,
    instead: new Map(),
    [Symbol.asyncDispose]: server.close,
  };
  return front;
}
