import { request } from 'node:http';
import { serve } from './server.ts';

export type Front = Awaited<ReturnType<typeof startFront>>;

/** A constant URL with a changing target, like a DNS name. @param to without a trailing slash. */
export async function startFront(to: string) {
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
  const front = {
    url: server.url,
    to,
    /** Paths with a fixed text as response, with a leading slash. */
    instead: new Map<string, { status: number; text: string }>(),
    [Symbol.asyncDispose]: server.close,
  };
  return front;
}
