/** One thing that is wrong with a configuration, and where. */
export interface ConfigProblem {
  path: string;
  message: string;
}

/** Names under which Node and packages trace requests. `NODE_DEBUG` ignores letter case. */
const NODE_TRACES = ['undici', 'fetch', 'websocket', 'http', 'https', 'http2', 'net', 'tls'];
const DEBUG_TRACES = ['Eleventy:Fetch', 'Eleventy:AssetCache', 'http', 'fetch', 'undici'];

/** The patterns of a list such as `fs,und*` that match any of the names. */
function matching(list: string, names: readonly string[]): string[] {
  return list.split(/[\s,]+/).filter((pattern) => {
    if (pattern === '' || pattern.startsWith('-')) return false;
    const parts = pattern.split('*').map((part) => part.replace(/[^\w]/g, '\\$&'));
    const form = new RegExp(`^${parts.join('.*')}$`, 'i');
    return names.some((name) => form.test(name));
  });
}

/**
 * Variables of the environment that would expose keys. Tracing prints whole addresses with their keys,
 * and we cannot redact that output. Without a check of certificates anybody may be at the other end.
 */
export function exposing(env: NodeJS.ProcessEnv): ConfigProblem[] {
  const traced = [
    ...matching(env.NODE_DEBUG ?? '', NODE_TRACES).map((name) => `NODE_DEBUG=${name}`),
    ...matching(env.DEBUG ?? '', DEBUG_TRACES).map((name) => `DEBUG=${name}`),
  ].map((setting) => ({
    path: `(environment) ${setting}`,
    message: 'would print URLs with the API key. Unset it',
  }));
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return traced;
  return [
    ...traced,
    {
      path: '(environment) NODE_TLS_REJECT_UNAUTHORIZED=0',
      message: 'would send the API key to an attacker who impersonates the service. Unset it',
    },
  ];
}
