import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import type { ServiceContext } from '../state/context.ts';
import { faultSchema } from '../state/faults.ts';
import { problem } from './answers.ts';

/**
 * Control for other processes: faults, the request log, changed and deleted pictures. A body must
 * be sent as application/json, which another website's page cannot do without a CORS preflight.
 */
export function addControlRoutes(app: OpenAPIHono, context: ServiceContext): void {
  const { faults, requests, data } = context;

  app.get('/_faults', (c) => c.json(faults.list()));

  app.post('/_faults', async (c) => {
    if (!c.req.header('content-type')?.startsWith('application/json')) {
      return problem(c, 415, 'Send application/json');
    }
    const fault = faultSchema.safeParse(await c.req.json().catch(() => undefined));
    if (!fault.success) return problem(c, 400, z.prettifyError(fault.error));
    const { match, ...rest } = fault.data;
    faults.set(match === undefined ? rest : { ...rest, match });
    return c.json(faults.list(), 201);
  });

  app.delete('/_faults', (c) => {
    faults.clear();
    return c.body(null, 204);
  });

  app.get('/_requests', (c) =>
    c.json({ pictureBytes: requests.bytes('picture'), requests: requests.list() }),
  );

  app.delete('/_requests', (c) => {
    requests.clear();
    return c.body(null, 204);
  });

  const changePicture = (c: Context, change: (id: number) => void): Response => {
    const id = Number(c.req.param('id'));
    if (!Number.isSafeInteger(id) || !data.locate(id)) return problem(c, 404, 'No such picture');
    change(id);
    return c.body(null, 204);
  };

  app.put('/_pictures/:id', (c) => changePicture(c, (id) => data.touch(id)));
  app.delete('/_pictures/:id', (c) => changePicture(c, (id) => data.remove(id)));
}
