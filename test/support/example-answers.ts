import type { Answers } from '../../src/setup/init/answers.ts';
import { NO_ANSWERS } from '../../src/setup/init/answers.ts';
import type { Project } from '../../src/setup/project.ts';

/** Answers for one dealer. */
export const EXAMPLE: Answers = {
  ...NO_ANSWERS,
  service: { ...NO_ANSWERS.service, baseUrl: 'https://media.example' },
  site: { ...NO_ANSWERS.site, title: 'Northgate Cars', url: 'https://cars.example' },
  dealers: [{ id: 7001, name: 'Northgate Cars', slug: 'northgate', apiKeyEnv: 'MEDIA_API_KEY' }],
  media: { hosts: ['pictures.example'] },
};

/** The same with other values of `site`. */
export const exampleWith = (
  site: Partial<Answers['site']>,
  others: Partial<Answers> = {},
): Answers => ({ ...EXAMPLE, ...others, site: { ...EXAMPLE.site, ...site } });

/** A project from `npm run new`. */
export const PROJECT: Project = { manager: 'npm', engines: true, taken: [] };
