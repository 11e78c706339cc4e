import { describe, expect, it } from 'vitest';
import { describeNetworkFault } from '../../../src/lib/http/network-fault.ts';

describe('a fault of the network', () => {
  const coded = (code: unknown) => Object.assign(new Error('secret'), { code });
  it.each([
    ['ECONNREFUSED', 'the connection was refused'],
    ['ECONNRESET', 'the connection was reset'],
    ['ENOTFOUND', 'its host name is unknown'],
    ['EAI_AGAIN', 'its host name could not be looked up'],
    ['ETIMEDOUT', 'the connection timed out'],
    ['UND_ERR_SOCKET', 'the connection was closed early'],
    ['UND_ERR_CONNECT_TIMEOUT', 'the connection timed out'],
    ['CERT_HAS_EXPIRED', 'its certificate has expired'],
    ['EODD', 'network fault EODD'],
    ['', 'network fault'],
    [7, 'network fault'],
  ])('%s is said in words alone', (code, said) => {
    expect(describeNetworkFault(coded(code))).toBe(said);
    expect(describeNetworkFault(new Error('fetch failed', { cause: coded(code) }))).toBe(said);
  });

  it('is a time that is over, a redirect, or just a fault', () => {
    expect(describeNetworkFault(new DOMException('x', 'TimeoutError'))).toBe(
      'no answer within the time allowed',
    );
    expect(describeNetworkFault(new Error('unexpected Redirect'))).toMatch(
      /^it answered with a redirect/,
    );
    expect(describeNetworkFault('text')).toBe('network fault');
  });
});
