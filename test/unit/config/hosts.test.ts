import { describe, expect, it } from 'vitest';
import { HOSTS } from '../../../src/config/hosts.ts';
import { resolveConfig } from '../../../src/config/load.ts';
import { checkHost, checkSize } from '../../../src/setup/doctor/hosts.ts';

const small = { files: 500, bytes: 2e7, largestFile: 1e5, fullestFolder: 40 };

describe('the limits of a host', () => {
  it.each([
    ['cloudflare-workers', { ...small, files: 20_000 }, 'host-fits'],
    ['cloudflare-workers', { ...small, files: 20_001 }, 'host-paid'],
    ['cloudflare-workers', { ...small, files: 100_001 }, 'host-too-small'],
    ['cloudflare', small, 'host-fits'],
    ['cloudflare', { ...small, files: 20_000 }, 'host-fits'],
    ['cloudflare', { ...small, files: 20_001 }, 'host-paid'],
    ['cloudflare', { ...small, files: 100_001 }, 'host-too-small'],
    ['cloudflare', { ...small, largestFile: 26_214_401 }, 'host-too-small'],
    ['netlify', { ...small, files: 1e6, bytes: 1e12 }, 'host-fits'],
    ['netlify', { ...small, fullestFolder: 54_001 }, 'host-too-small'],
    ['github', { ...small, bytes: 1_000_000_001 }, 'host-too-small'],
    ['gitlab', { ...small, files: 200_001 }, 'host-too-small'],
    ['s3', { ...small, files: 1e6 }, 'host-fits'],
    ['folder', { ...small, files: 1e7, bytes: 1e13 }, 'host-fits'],
  ])('%s, %o: %s', (host, size, code) => {
    expect(checkSize(host, size)[0]?.code).toBe(code);
  });

  it('names the limit that is broken and what is expected', () => {
    expect(checkSize('cloudflare', { ...small, files: 100_001 })[0]?.args).toMatchObject({
      limit: 'files',
      allowed: 100_000,
      expected: 100_001,
    });
  });

  it.each([
    ['github', ['host-trade', 'host-rule']],
    ['ftp', ['host-unknown']],
    ['none', []],
  ])('%s: %j, whatever the site is', async (host, codes) => {
    expect((await checkHost(host, {})).map(({ code }) => code)).toEqual(codes);
  });

  it.each([undefined, 'none'])(
    'judges all hosts where none is chosen (%s), and none is an error',
    (id) => {
      const found = checkSize(id, { ...small, files: 1e6, bytes: 1e12 });
      expect(found.length).toBe(HOSTS.length);
      expect(found.every(({ severity }) => severity === 'info')).toBe(true);
    },
  );
});

it('reads no host into a configuration', () => {
  // The one variable is DEPLOY_TO: a second place would contradict it some day.
  expect(() => resolveConfig({ host: 'netlify' }, { file: 'x' })).toThrow('host');
});
