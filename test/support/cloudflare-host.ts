import { buffer } from 'node:stream/consumers';
import { serve } from './server.ts';

/** Wrangler reads its upload limits and their expiry from it. */
function uploadToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const expires = Math.floor(Date.now() / 1000) + 3600;
  return `${part({ alg: 'HS256' })}.${part({ exp: expires, max_file_count_allowed: 20_000 })}.x`;
}

/**
 * The server side of `wrangler pages deploy` on loopback: a project that accepts uploads and combines them
 * into a deployment, limited to the requests of wrangler.
 */
export async function startCloudflareHost(project: string) {
  const uploads = new Map<string, Buffer>();
  const tokens = new Set<string>();
  let manifest: Record<string, string> = {};
  const server = await serve(async (request, response) => {
    const body = await buffer(request);
    const address = request.url ?? '';
    tokens.add((request.headers.authorization ?? '').replace('Bearer ', ''));
    const answer = (result: unknown, status = 200) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ success: status === 200, errors: [], messages: [], result }));
    if (address.endsWith('/pages/assets/check-missing'))
      return answer(JSON.parse(String(body)).hashes);
    if (address.endsWith('/pages/assets/upload')) {
      for (const { key, value } of JSON.parse(String(body))) {
        uploads.set(key, Buffer.from(value, 'base64'));
      }
      return answer(null);
    }
    if (address.endsWith('/pages/assets/upsert-hashes')) return answer(null);
    if (!address.includes(`/pages/projects/${project}`)) return answer(null, 404);
    if (address.endsWith('/upload-token')) return answer({ jwt: uploadToken() });
    if (request.method === 'POST' && address.endsWith('/deployments')) {
      const headers = { 'content-type': String(request.headers['content-type']) };
      const form = await new Response(body, { headers }).formData();
      manifest = JSON.parse(String(form.get('manifest')));
      return answer({ id: '1', url: 'https://1.our-cars.test', environment: 'production' });
    }
    if (address.includes('/deployments/')) {
      return answer({ id: '1', latest_stage: { name: 'deploy', status: 'success' } });
    }
    const configs = { production: {}, preview: {} };
    return answer({ name: project, production_branch: 'main', deployment_configs: configs });
  });
  return {
    /** For `CLOUDFLARE_API_BASE_URL`. */
    url: `${server.url}/client/v4`,
    /** Bytes of every file of the last deployment, by its path. */
    deployed: () =>
      new Map(
        Object.entries(manifest).map(([file, key]) => [
          file.replace(/^\//, ''),
          uploads.get(key) ?? Buffer.alloc(0),
        ]),
      ),
    /** Received tokens. */
    tokens,
    [Symbol.asyncDispose]: server.close,
  };
}
