import { serve } from './server.ts';

/** A website on another host name of this machine, so another origin. */
export async function openExternalSite() {
  const pages: { body: string; headers: Record<string, string> }[] = [];
  const server = await serve((request, response) => {
    const page = pages[Number(request.url?.slice(1))];
    response.writeHead(page ? 200 : 404, { 'content-type': 'text/html', ...page?.headers });
    response.end(
      `<!doctype html><html lang="en"><title>Foreign</title><body>${page?.body ?? ''}</body></html>`,
    );
  });
  return {
    /** URL of a page with this body on another origin. */
    page: (body: string, headers = {}) =>
      `${server.url.replace('127.0.0.1', 'localhost')}/${pages.push({ body, headers }) - 1}`,
    [Symbol.asyncDispose]: server.close,
  };
}
