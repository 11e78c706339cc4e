import { hash } from 'node:crypto';
import { posix } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import pMap from 'p-map';
import { z } from 'zod';
import type { SiteFile } from '../../../change-set/change-set.ts';
import { hostOf } from '../../../config/hosts.ts';
import { GateError, RefusedError } from '../../../errors.ts';
import { countText } from '../../../lib/terminal/count-text.ts';
import { jsonBody } from '../../host-api/http.ts';
import { countSent, onePerContent, reportSent } from '../../host-api/send-files.ts';
import type { DeploySource, HostRun } from '../../host-api/types.ts';
import { type CloudflareApi, formBody } from './api.ts';

/**
 * Cloudflare's name for the content of a file: 32 hex digits. Cloudflare stores one content type for each
 * name, so the name also depends on the extension.
 */
export function assetHash({ path, hash: sum }: SiteFile): string {
  const extension = posix.extname(path).slice(1);
  return hash('sha256', `${sum}.${extension}`, 'hex').slice(0, 32);
}

/** `application/null` is served without a type. */
const typeOf = ({ path }: SiteFile): string => getMimeType(path) ?? 'application/null';

/** Number of simultaneous buckets, of up to 50 MiB each, as in wrangler. */
const BUCKETS_AT_ONCE = 3;
/** A session lasts an hour. No upload begins in an older one. */
const MAX_SESSION_AGE = 50 * 60_000;
/** Most successive sessions without progress. */
const MAX_STALLED = 3;
/** The session has ended. If the account's token is invalid, opening the next session fails. */
const SESSION_ENDED = [401, 403];
const FREE_FILES = hostOf('cloudflare-workers')?.plans[0].files ?? 0;

const sessionSchema = z.object({
  jwt: z.string(),
  buckets: z.array(z.array(z.string())).nullish(),
});
/** The last upload of a session returns the token for all of it. */
const uploadSchema = z.object({ jwt: z.string().optional() });

/**
 * Uploads the files that Cloudflare reports as missing. It stores uploaded files, so if a session ends
 * early, the next one is shorter.
 *
 * @returns counts, the hashes that Cloudflare requested, and the token of all files for a new version.
 * @throws {GateError} it requests files whose bytes are lost. Nothing was sent.
 */
export async function uploadAssets(
  files: readonly SiteFile[],
  source: DeploySource,
  api: CloudflareApi,
  run: HostRun,
) {
  const byHash = onePerContent(files, source, assetHash);
  const requested = new Set<string>();
  const sent = new Set<SiteFile>();
  const resultFor = (token: string) => ({ token, requested, ...countSent([...sent], source) });
  let fewest = Number.POSITIVE_INFINITY;
  let stalledSessions = 0;
  while (true) {
    const end = run.clock.now() + MAX_SESSION_AGE;
    const session = await openSession(files, api);
    const buckets = session.buckets.map((bucket) =>
      bucket.map((name) => fileOf(name, byHash, run)),
    );
    const all = buckets.flat();
    if (all.length === 0) return resultFor(session.token);
    stalledSessions = all.length < fewest ? 0 : stalledSessions + 1;
    fewest = Math.min(fewest, all.length);
    if (stalledSessions > MAX_STALLED) {
      const why = `It accepted the same files ${MAX_STALLED + 1} times, and ${all.length} are still missing there.`;
      throw run.http.unusable('the list of files', why);
    }
    for (const file of all) requested.add(assetHash(file));
    await source.fetch(all);
    let isOver = false;
    let completionToken: string | undefined;
    const send = async (bucket: readonly SiteFile[]) => {
      run.signal.throwIfAborted();
      isOver ||= run.clock.now() > end;
      if (isOver) return;
      const request = {
        method: 'POST',
        path: '/assets/upload?base64=true',
        what: 'files',
      } as const;
      const form = await filesForm(bucket, source);
      const options = { ...request, ...form, token: session.token };
      const answer = await api.find(options, SESSION_ENDED, uploadSchema);
      isOver ||= !answer;
      if (!answer) return;
      for (const file of bucket) reportSent(run, sent.add(file).size, requested.size);
      completionToken = answer.jwt ?? completionToken;
    };
    await pMap(buckets, send, { concurrency: BUCKETS_AT_ONCE });
    // Otherwise the session ended early, and another one follows.
    if (completionToken !== undefined) return resultFor(completionToken);
  }
}

function fileOf(name: string, byHash: ReadonlyMap<string, SiteFile>, { http }: HostRun): SiteFile {
  const file = byHash.get(name);
  if (file) return file;
  throw http.unusable('the list of files', 'It asks for a file that is not in the list.');
}

async function openSession(
  files: readonly SiteFile[],
  api: CloudflareApi,
): Promise<{ token: string; buckets: readonly (readonly string[])[] }> {
  const entries = files.map(
    (file) => [`/${file.path}`, { hash: assetHash(file), size: file.size }] as const,
  );
  const { jwt, buckets } = await api
    .ask(
      {
        method: 'POST',
        path: 'assets-upload-session',
        ...jsonBody({ manifest: Object.fromEntries(entries) }),
        what: 'the list of files',
      },
      sessionSchema,
    )
    .catch((error: unknown) => {
      if (!(error instanceof RefusedError) || entries.length <= FREE_FILES) throw error;
      throw new GateError({
        code: 'deploy-too-large',
        what: `Cloudflare refused a list of ${countText(entries.length, 'file')}. Its free plan accepts ${FREE_FILES}.`,
        why: error.why,
        fix: 'Make fewer files, or take the paid plan of Workers: docs/hosting.md has their limits. Nothing was sent.',
      });
    });
  return { token: jwt, buckets: buckets ?? [] };
}

/** Files in Base64: Cloudflare accepts several in one request. */
async function filesForm(files: readonly SiteFile[], source: DeploySource) {
  const form = new FormData();
  for (const file of files) {
    const name = assetHash(file);
    const text = (await source.bytes(file)).toString('base64');
    form.append(name, new Blob([text], { type: typeOf(file) }), name);
  }
  return formBody(form);
}
