import { z } from 'zod';
import { configSchema } from '../../src/config/schema.ts';
import { deployReportSchema } from '../../src/deploy/report.ts';
import { reportSchema } from '../../src/publish/report/report.ts';
import { dealerMediaSchema, vehicleMediaSchema } from '../../src/site/documents/media-json.ts';
import { themeWordsSchema } from '../../src/site/i18n/theme-words.ts';

/** The published JSON Schemas by file name. */
export function jsonSchemas(): Record<string, object> {
  return {
    'site.config.schema.json': z.toJSONSchema(configSchema, { io: 'input' }),
    'words.schema.json': z.toJSONSchema(themeWordsSchema, { io: 'input' }),
    'vehicle-media.schema.json': z.toJSONSchema(vehicleMediaSchema),
    'dealer-media.schema.json': z.toJSONSchema(dealerMediaSchema),
    'build-report.schema.json': z.toJSONSchema(reportSchema, { io: 'output' }),
    'deploy-report.schema.json': z.toJSONSchema(deployReportSchema, { io: 'output' }),
  };
}
