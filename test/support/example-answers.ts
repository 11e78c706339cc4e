import type { Answers } from '../../src/setup/init/answers.ts';
import type { Project } from '../../src/setup/project.ts';

/** Answers of one dealer. */
export const EXAMPLE: Answers = {
  baseUrl: 'https://media.example',
  title: 'Northgate Cars',
  url: 'https://cars.example',
  locale: 'en-GB',
  timeZone: 'Europe/London',
  dealers: [{ id: 7001, name: 'Northgate Cars', slug: 'northgate', apiKeyEnv: 'MEDIA_API_KEY' }],
  accounts: [],
  pictureHosts: ['pictures.example'],
  hostedVideo: 'hostedVideo',
  clicks: {},
  ci: 'github',
  host: 'none',
};

/** A project as `npm run new` makes it. */
export const PROJECT: Project = { manager: 'npm', engines: true, taken: [] };
