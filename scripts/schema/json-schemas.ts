import { z } from 'zod';
import { configSchema } from '../../src/config/schema.ts';
import { deployReportSchema } from '../../src/deploy/report.ts';
import { outputSchema } from '../../src/lib/output-schema.ts';
import { reportSchema } from '../../src/publish/report/report.ts';
import { dealerMediaSchema, vehicleMediaSchema } from '../../src/site/documents/media-json.ts';
import { themeWordsSchema } from '../../src/site/i18n/theme-words.ts';

/**
 * The published JSON Schemas by file name. Schemas of files that users write are strict, so that
 * editors mark misspelled fields.
 */
export function jsonSchemas(): Record<string, object> {
  return {
    'site.config.schema.json': z.toJSONSchema(configSchema, { io: 'input' }),
    'words.schema.json': z.toJSONSchema(themeWordsSchema, { io: 'input' }),
    'vehicle-media.schema.json': outputSchema(vehicleMediaSchema),
    'dealer-media.schema.json': outputSchema(dealerMediaSchema),
    'build-report.schema.json': outputSchema(reportSchema),
    'deploy-report.schema.json': outputSchema(deployReportSchema),
  };
}
