import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { engineSecrets, enginesOf } from '../../../src/config/engines.ts';
import { thrownBy } from '../../support/thrown.ts';

const AWS = { AWS_ACCESS_KEY_ID: 'an-access-key', AWS_SECRET_ACCESS_KEY: 'a-secret-access-key' };
const codeOf = (env: NodeJS.ProcessEnv) => thrownBy(() => enginesOf(env))?.code;

describe('enginesOf', () => {
  it('is empty without settings', () => {
    expect(enginesOf({})).toEqual({});
    expect(enginesOf({ QUEUE_URL: ' ', STORE_URL: '' })).toEqual({});
  });

  it.each([
    ['redis://queue.example:6379', true],
    ['rediss://user:pass@queue.example/2', true],
    ['redis://[::1]:6379', true],
    ['unix:///run/redis.sock', true],
    ['queue.example:6379', false],
    ['http://queue.example', false],
    ['redis://', false],
    ['unix://', false],
    ['redis://h/db', false],
    ['redis://h?queue=site', false],
    ['redis://:50%off@h', false],
  ])('%s is a queue: %s', (url, accepted) => {
    expect(codeOf({ QUEUE_URL: url })).toBe(accepted ? undefined : 'engines-invalid');
    if (accepted) expect(enginesOf({ QUEUE_URL: url }).queueUrl?.reveal()).toBe(url);
  });

  it('accepts bucket, prefix and the usual variables', () => {
    const { store } = enginesOf({
      STORE_URL: 'https://s3.example/bucket/site/',
      ...AWS,
      AWS_SESSION_TOKEN: 'a-session-token',
      AWS_REGION: 'eu-west-1',
    });
    expect(store?.url).toBe('https://s3.example/bucket/site');
    expect(store?.region).toBe('eu-west-1');
    expect(store?.sessionToken?.reveal()).toBe('a-session-token');
    expect(enginesOf({ STORE_URL: 'https://s3.example/b', ...AWS }).store?.region).toBe(
      'us-east-1',
    );
  });

  it.each([{ DEBUG: 'ioredis:*' }, { NODE_DEBUG: 'net' }, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }])(
    'refuses %j, which exposes the password of the queue, also to workers',
    (env) => {
      expect(codeOf({ QUEUE_URL: 'redis://:pass@queue.example', ...env })).toBe(
        'environment-exposing',
      );
      expect(codeOf(env)).toBeUndefined();
    },
  );

  it.each([
    ['STORE_URL', 's3://bucket/prefix'],
    ['STORE_URL', 'https://s3.example'],
    ['STORE_URL', 'https://s3.example/'],
    ['STORE_URL', 'https://key:secret@s3.example/bucket'],
    ['STORE_URL', 'https://s3.example/bucket?x=1'],
    ['STORE_URL', 'https://s3.example/bucket/../other%20one'],
    ['AWS_ACCESS_KEY_ID', ''],
    ['AWS_SECRET_ACCESS_KEY', ''],
    // No header can hold two lines.
    ['AWS_ACCESS_KEY_ID', 'word\nword'],
    ['AWS_SECRET_ACCESS_KEY', 'word\nword'],
    ['AWS_SESSION_TOKEN', 'word\nword'],
  ])('refuses a store with %s=%j', (name, value) => {
    const env = { STORE_URL: 'https://s3.example/bucket', ...AWS, [name]: value };
    expect(codeOf(env)).toBe('engines-invalid');
  });

  it('prints no secret and lists all of them', () => {
    const config = enginesOf({
      QUEUE_URL: 'redis://user:queue%2Dpassword@queue.example',
      STORE_URL: 'https://s3.example/bucket',
      ...AWS,
      AWS_SESSION_TOKEN: 'a-session-token',
    });
    const printed = `${inspect(config, { depth: 9 })} ${JSON.stringify(config)}`;
    for (const hidden of ['queue%2Dpassword', 'a-secret-access-key', 'a-session-token']) {
      expect(printed).not.toContain(hidden);
    }
    expect(engineSecrets(config).map((secret) => secret.reveal())).toEqual([
      'queue-password',
      'a-secret-access-key',
      'a-session-token',
    ]);
  });
});
