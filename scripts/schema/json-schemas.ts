import { z } from 'zod';
import { configSchema } from '../../src/config/schema.ts';
import { reportSchema } from '../../src/publish/report.ts';

/** The published JSON Schemas by file name. */
export function jsonSchemas(): Record<string, object> {
  return {
    'site.config.schema.json': z.toJSONSchema(configSchema, { io: 'input' }),
    'build-report.schema.json': z.toJSONSchema(reportSchema, { io: 'output' }),
  };
}
