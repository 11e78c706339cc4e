import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { secretsOf } from '../../../src/config/secret-search.ts';
import { packConfig, unpackConfig } from '../../../src/publish/processes/messages.ts';
import { offlineConfig } from '../../support/offline-config.ts';

it.each([
  [{}, 1],
  [{ SITE_SECRET: 'p0Xb1kQ-Zr8sV_2mN4tL6wY9cA3eF5gH7jK-DqUxIo' }, 2],
])('a worker process gets every secret of the site: %j', (env, count) => {
  const config = offlineConfig({}, { env: { MEDIA_API_KEY: 'key-of-media', ...env } });
  const received = unpackConfig(structuredClone(packConfig(config)));
  const revealed = (from: typeof config) => secretsOf(from).map((secret) => secret.reveal());
  expect(revealed(received)).toEqual(revealed(config));
  expect(revealed(received)).toHaveLength(count);
  for (const value of Object.values({ MEDIA_API_KEY: 'key-of-media', ...env })) {
    expect(inspect(received, { depth: 9, showHidden: true })).not.toContain(value);
  }
});
