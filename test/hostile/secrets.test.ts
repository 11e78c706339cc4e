import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/load.ts';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { runCommand } from '../support/command.ts';

const KEY = 'sample-key-41c7e2';
const raw = {
  service: { baseUrl: 'https://media.example' },
  site: { title: 'x', url: 'https://cars.example' },
  dealers: [{ id: 1, name: 'One', slug: 'one' }],
};

function told(env: NodeJS.ProcessEnv, keysFor: 'dealers' | 'none' = 'dealers'): string {
  try {
    resolveConfig(raw, { file: 'x', keysFor, env: { MEDIA_API_KEY: KEY, ...env } });
    return '';
  } catch (error) {
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY);
    return (error as Error).message;
  }
}

describe('an environment that would give keys away', () => {
  it.each([
    ['NODE_DEBUG', 'undici'],
    ['NODE_DEBUG', 'UNDICI'],
    ['NODE_DEBUG', 'fs,fetch'],
    ['NODE_DEBUG', 'fs fetch'],
    ['NODE_DEBUG', '*'],
    ['NODE_DEBUG', 'und*'],
    ['NODE_DEBUG', 'h*'],
    ['NODE_DEBUG', '*tp'],
    ['NODE_DEBUG', 'http2'],
    ['NODE_DEBUG', 'tls'],
    ['NODE_DEBUG', 'net'],
    ['DEBUG', '*'],
    ['DEBUG', 'Eleventy*'],
    ['DEBUG', 'Eleventy:*'],
    ['DEBUG', 'Eleventy:Fetch'],
    ['DEBUG', '-x,*'],
    ['NODE_TLS_REJECT_UNAUTHORIZED', '0'],
  ])('%s=%s is refused where a key is set', (name, value) => {
    expect(told({ [name]: value })).toContain(`(environment) ${name}=`);
    expect(told({ [name]: value }, 'none')).toBe('');
  });

  it.each([
    ['NODE_DEBUG', 'fs,module'],
    ['NODE_DEBUG', 'network'],
    ['NODE_DEBUG', ''],
    ['DEBUG', 'Eleventy:Template*'],
    ['DEBUG', '-*'],
    ['DEBUG', 'a.b(c'],
    ['NODE_TLS_REJECT_UNAUTHORIZED', '1'],
  ])('%s=%s is not', (name, value) => {
    expect(told({ [name]: value })).toBe('');
  });

  it('is one whose key cannot be told from ordinary text', () => {
    expect(told({ MEDIA_API_KEY: 'abc' })).toContain('too short for a key');
  });
});

describe('a loaded configuration', () => {
  it('shows no key, however it is printed', () => {
    const config = resolveConfig(raw, {
      file: 'x',
      keysFor: 'dealers',
      env: { MEDIA_API_KEY: KEY },
    });
    const shown = [
      inspect(config, { depth: 9, showHidden: true, getters: true }),
      JSON.stringify(config),
      String(config.dealers[0]?.apiKey),
      `${config.dealers[0]?.apiKey}`,
      inspect(structuredClone({ a: 1 })),
    ].join();
    expect(shown).not.toContain(KEY);
    expect(config.dealers[0]?.apiKey.reveal()).toBe(KEY);
  });
});

describe('the command line', () => {
  let service: SampleService;
  beforeAll(async () => {
    service = await startSampleService({ dealers: 1, vehicles: 1, images: 1 });
  });
  afterAll(() => service.close());

  it.concurrent.each([
    [['--api-key', KEY]],
    [[`--apiKey=${KEY}`]],
    [[`--media-api-key=${KEY}`]],
    [[`MEDIA_API_KEY=${KEY}`]],
    [['--token', KEY]],
    [[`--config=https://media.example/?apiKey=${KEY}`]],
    [['5a3c91e0-7b42-4d18-9c6f-2e80b17d4a35']],
    [['--config', '5A3C91E07B424D18']],
  ])('build %j: no key is taken or told', async (args) => {
    const ran = await runCommand('build', args, { MEDIA_API_KEY: KEY });
    expect(ran.exitCode).toBe(2);
    expect(ran.stdout + ran.stderr).not.toContain(KEY);
    expect(ran.stdout + ran.stderr).not.toContain('5a3c91e0-7b42');
    if (args.length < 2 || args[0] !== '--config')
      expect(ran.stderr).toContain('[argument-secret]');
  });
});
