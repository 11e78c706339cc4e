import { OpenAPIHono } from '@hono/zod-openapi';
import { addBatchRoutes } from './routes/batches.ts';
import { addControlRoutes } from './routes/control.ts';
import { addMediaRoutes } from './routes/media.ts';
import { addPageRoutes } from './routes/pages.ts';
import { addPictureRoutes } from './routes/pictures.ts';
import type { ServiceContext } from './state/context.ts';

/** All addresses of the service. `/openapi.json` describes the two operations of the interface. */
export function createApp(context: ServiceContext): OpenAPIHono {
  const app = new OpenAPIHono();
  addMediaRoutes(app, context);
  addBatchRoutes(app, context);
  addPictureRoutes(app, context);
  addControlRoutes(app, context);
  addPageRoutes(app, context);
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: {
      title: 'Vehicle media and batch data (sample service)',
      version: '1.0.0',
      description:
        'The two read-only operations of the service. Field names are the neutral ones of the interface document; a service may write real names in their place.',
    },
    servers: [{ url: context.baseUrl }],
  });
  app.notFound((c) => c.json({ Success: false, Message: 'No such address' }, 404));
  return app;
}
