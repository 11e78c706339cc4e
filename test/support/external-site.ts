import { serve } from './server.ts';

/** A website on another host name of this machine, so another origin. */
export async function openExternalSite() {
  const pages: string[] = [];
  const server = await serve((request, response) => {
    const body = pages[Number(request.url?.slice(1))];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' });
    response.end(
      `<!doctype html><html lang="en"><title>Foreign</title><body>${body ?? ''}</body></html>`,
    );
  });
  return {
    /** URL of a page with this body on another origin. */
    page: (body: string) =>
      `${server.url.replace('127.0.0.1', 'localhost')}/${pages.push(body) - 1}`,
    [Symbol.asyncDispose]: server.close,
  };
}
