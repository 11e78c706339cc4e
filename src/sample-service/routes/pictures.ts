import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Located } from '../data/store.ts';
import { type PictureSpec, pictureSpec, posterSpec } from '../drawing/spec.ts';
import type { ServiceContext } from '../state/context.ts';
import { problem } from './answers.ts';

/**
 * Whether the caller's copy is still good (RFC 9110, 13.1): If-None-Match decides where it is
 * given, If-Modified-Since only without it.
 */
function isFresh(headers: Headers, etag: string, lastModified: number): boolean {
  const noneMatch = headers.get('if-none-match');
  if (noneMatch !== null) {
    return noneMatch
      .split(',')
      .map((tag) => tag.trim().replace(/^W\//, ''))
      .some((tag) => tag === '*' || tag === etag);
  }
  const since = Date.parse(headers.get('if-modified-since') ?? '');
  return Number.isFinite(since) && lastModified <= since;
}

/** Pictures: `/pictures/ID.jpg` for images, `/posters/ID.jpg` for the still of a video. */
export function addPictureRoutes(app: OpenAPIHono, context: ServiceContext): void {
  const { data, pictures } = context;

  const send = async (c: Context, found: Located, spec: PictureSpec): Promise<Response> => {
    const revision = data.pictures.get(found.item.id)?.revision ?? 0;
    const updated = Date.parse(found.vehicle.dateUpdated);
    const etag = pictures.etag(spec);
    const lastModified = (Math.floor(updated / 1000) + revision) * 1000;
    const headers = {
      etag,
      'last-modified': new Date(lastModified).toUTCString(),
      'cache-control': 'public, max-age=300',
    };
    if (isFresh(c.req.raw.headers, etag, lastModified)) return c.body(null, 304, headers);
    const bytes = await pictures.get(spec);
    return c.body(new Uint8Array(bytes), 200, {
      ...headers,
      'content-type': 'image/jpeg',
      'content-length': String(bytes.length),
    });
  };

  for (const [folder, type, specOf] of [
    ['pictures', 'Image', pictureSpec],
    ['posters', 'Video', posterSpec],
  ] as const) {
    app.get(`/${folder}/:name`, (c) => {
      const [, id] = /^(\d{1,15})\.jpg$/.exec(c.req.param('name') ?? '') ?? [];
      const found = id === undefined ? undefined : data.locate(Number(id));
      const override = found && data.pictures.get(found.item.id);
      if (found?.item.type !== type || override?.deleted) return problem(c, 404, 'No such picture');
      return send(c, found, specOf(pictures, found, override));
    });
  }
}
