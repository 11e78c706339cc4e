import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { envText } from '../../../src/setup/init/env-file.ts';

const KEYS = new Map([['MEDIA_API_KEY', new Secret('sample-media-key')]]);

it.each([
  ['# mine\nB=abc # note', '# mine\nB=abc # note\nMEDIA_API_KEY=sample-media-key\n', []],
  ['MEDIA_API_KEY=\n', 'MEDIA_API_KEY=sample-media-key\n', []],
  ['MEDIA_API_KEY="sample-media-key"\n', 'MEDIA_API_KEY="sample-media-key"\n', []],
  ['export MEDIA_API_KEY="old"\nA=1\n', 'MEDIA_API_KEY=sample-media-key\nA=1\n', ['MEDIA_API_KEY']],
  [
    'A=1\r\nMEDIA_API_KEY=old-key\r\nB=2\r\n',
    'A=1\r\nMEDIA_API_KEY=sample-media-key\r\nB=2\r\n',
    ['MEDIA_API_KEY'],
  ],
  [
    'A=1\n\n# mine\n\n  export MEDIA_API_KEY = old-key\n\nB=2\n',
    'A=1\n\n# mine\n\nMEDIA_API_KEY=sample-media-key\n\nB=2\n',
    ['MEDIA_API_KEY'],
  ],
])('%j becomes %j, which replaces %j', (former, text, conflicts) => {
  expect(envText(former, KEYS)).toEqual({ text, conflicts });
  expect(parseEnv(text).MEDIA_API_KEY).toBe('sample-media-key');
});

it('refuses to change a multi-line value that looks like the key', () => {
  const former = 'NOTE="one\nMEDIA_API_KEY=x\ntwo"\nMEDIA_API_KEY=old-key\n';
  expect(() => envText(former, KEYS)).toThrow(expect.objectContaining({ code: 'env-unreadable' }));
});

it.each(['a#b$c{d}', `it's`, 'a"b\'c', '$HOME', 'plain+/=', '`x`', 'a$&b'])(
  'writes %s so that its parser returns it unchanged',
  (value) => {
    for (const former of [undefined, 'K=old\n']) {
      const { text } = envText(former, new Map([['K', new Secret(value)]]));
      expect(parseEnv(text).K).toBe(value);
    }
  },
);

it('refuses an unwritable value', () => {
  const all = new Map([['K', new Secret(`'"\``)]]);
  expect(() => envText(undefined, all)).toThrow(expect.objectContaining({ code: 'env-value' }));
});
