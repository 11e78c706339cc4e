import { hash } from 'node:crypto';
import { posix } from 'node:path';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { SiteFile } from '../../../change-set/change-set.ts';
import { hostOf } from '../../../config/hosts.ts';
import { GateError, RefusedError, UnreachableError } from '../../../errors.ts';
import { mimeTypeOf } from '../../../lib/mime.ts';
import { countText } from '../../../lib/terminal/count-text.ts';
import { unusable } from '../../host-api/errors.ts';
import { jsonBody } from '../../host-api/http.ts';
import {
  countSent,
  onePerContent,
  type SentFiles,
  sentProgress,
} from '../../host-api/send-files.ts';
import type { DeploySource, HostRun } from '../../host-api/types.ts';
import { type CloudflareApi, formBody, HTTP } from './api.ts';

/** The result of an upload. */
export interface Uploaded extends SentFiles {
  /** Represents all files when a version is made. */
  token: string;
  /** Hashes that it asked for. */
  asked: ReadonlySet<string>;
}

/**
 * The name of a content at the host. It knows the type of a content by its name alone, so that must
 * differ where types do; any 32 hex digits will do.
 */
export function assetHash({ path, hash: sum }: SiteFile): string {
  const extension = posix.extname(path).slice(1).toLowerCase();
  return hash('sha256', `${sum}.${extension}`, 'hex').slice(0, 32);
}

/** `application/null` is served without a type. */
const typeOf = ({ path }: SiteFile): string => mimeTypeOf(path) ?? 'application/null';

/** Buckets at once, of up to 50 MiB each; files at once where it takes them one by one. Both as its own tool. */
const BUCKETS_AT_ONCE = 3;
const FILES_AT_ONCE = 50;
/** A session lasts an hour; no upload is begun in one that is older than this. */
const OLD = 50 * 60_000;
/** Most sessions in a row without progress. */
const FRUITLESS = 3;
/** The session has ended. Where it is the account's token that counts no more, the next session says so. */
const ENDED = [401, 403];
/** Status codes of gateways that timed out. */
const GATEWAY = [502, 504, 520, 522, 524];
const GATEWAY_TRIES = 5;
/** Files of the free plan. */
const FREE_FILES = hostOf('cloudflare-workers')?.plans[0].files ?? 0;

const sessionSchema = z.object({
  jwt: z.string(),
  buckets: z.array(z.array(z.string())).nullish(),
});
const claimsSchema = z.object({
  wrangler_single_asset_uploads: z.boolean().nullish(),
  edge_kv_upload_concurrency: z.number().positive().nullish(),
});

interface Session {
  token: string;
  since: number;
  /** Files at once, where each is a request of its own. */
  single: number | undefined;
  buckets: readonly (readonly string[])[];
}

/** What a token says of how it is to be used. Cloudflare's own tool reads it too. */
function singleUploads(token: string): number | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const { wrangler_single_asset_uploads: isSingle, edge_kv_upload_concurrency: atOnce } =
      claimsSchema.parse(claims);
    return isSingle === true ? Math.floor(atOnce ?? FILES_AT_ONCE) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Has Cloudflare hold all files of a site: it gets the list, and asks for what it lacks. What was
 * uploaded stays there, so a session that ends before its time is followed by a shorter one.
 *
 * @throws {LostContent} it asks for files whose bytes are lost; nothing was sent.
 */
export async function uploadAssets(
  files: readonly SiteFile[],
  source: DeploySource,
  api: CloudflareApi,
  run: HostRun,
): Promise<Uploaded> {
  const byHash = onePerContent(files, source, assetHash);
  const asked = new Set<string>();
  const sent = new Set<SiteFile>();
  const uploaded = (token: string) => ({ token, asked, ...countSent([...sent], source) });
  let least = Number.POSITIVE_INFINITY;
  let fruitless = 0;
  while (true) {
    const session = await openSession(files, api, run);
    const wanted = session.buckets.map((bucket) => bucket.map((name) => fileOf(name, byHash)));
    const all = wanted.flat();
    if (all.length === 0) return uploaded(session.token);
    fruitless = all.length < least ? 0 : fruitless + 1;
    least = Math.min(least, all.length);
    if (fruitless > FRUITLESS) {
      throw new UnreachableError({
        code: 'cloudflare-unreachable',
        what: 'Cloudflare asks for the same files again and again.',
        why: `It took them ${FRUITLESS + 1} times, and ${all.length} are still missing there.`,
        fix: 'Deploy again later. Nothing was switched.',
      });
    }
    for (const file of all) asked.add(assetHash(file));
    await source.fetch(all);
    const onSent = (file: SiteFile) => run.notify(sentProgress(sent.add(file).size, asked.size));
    const token = await uploadAll(session, wanted, { source, api, run, onSent });
    if (token !== undefined) return uploaded(token);
  }
}

function fileOf(name: string, byHash: ReadonlyMap<string, SiteFile>): SiteFile {
  const file = byHash.get(name);
  if (!file)
    throw unusable(HTTP, 'the list of files', 'It asks for a file that is not in the list.');
  return file;
}

async function openSession(
  files: readonly SiteFile[],
  api: CloudflareApi,
  run: HostRun,
): Promise<Session> {
  const entries = files.map(
    (file) => [`/${file.path}`, { hash: assetHash(file), size: file.size }] as const,
  );
  const since = run.clock.now();
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
        what: `Cloudflare refused a list of ${countText(entries.length, 'file')}; its free plan takes ${FREE_FILES}.`,
        ...(error.why === undefined ? {} : { why: error.why }),
        fix: 'Make fewer files, or take the paid plan of Workers: docs/hosting.md has their limits. Nothing was sent.',
      });
    });
  return { token: jwt, since, single: singleUploads(jwt), buckets: buckets ?? [] };
}

interface Upload {
  source: DeploySource;
  api: CloudflareApi;
  run: HostRun;
  onSent(file: SiteFile): void;
}

/**
 * Sends what a session asks for.
 *
 * @returns the token for all of it; undefined where the session ended before: then there is a next one.
 */
async function uploadAll(
  session: Session,
  buckets: readonly (readonly SiteFile[])[],
  upload: Upload,
): Promise<string | undefined> {
  const groups = session.single === undefined ? buckets : buckets.flat().map((file) => [file]);
  const limit = pLimit(session.single ?? BUCKETS_AT_ONCE);
  let token: string | undefined;
  let isOver = false;
  const sendGroup = async (group: readonly SiteFile[]) => {
    for (let tries = 1; !isOver; tries++) {
      const answer = await limit(async () => {
        if (isOver) return undefined;
        const found = await uploadGroup(session, group, upload);
        if (found === undefined) isOver = true;
        // It is overloaded: from now on one after the other, and later. Its own tool does the same.
        if (found && 'status' in found) {
          if (tries >= GATEWAY_TRIES) throw gatewayError(found.status, tries);
          limit.concurrency = 1;
          await upload.run.clock.sleep(5000 * 2 ** (tries - 1), upload.run.signal);
        }
        return found;
      });
      if (answer && 'status' in answer) continue;
      token = answer?.jwt ?? token;
      return;
    }
  };
  const results = await Promise.allSettled(
    groups.map((group) =>
      sendGroup(group).catch((error: unknown) => {
        // No further upload begins; those under way end before the error is thrown.
        isOver = true;
        throw error;
      }),
    ),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return token;
}

const gatewayError = (status: number, tries: number): UnreachableError =>
  new UnreachableError({
    code: 'cloudflare-unreachable',
    what: 'Cloudflare gave no usable answer to files.',
    why: `After ${tries} tries: it answered with status ${status}.`,
    fix: 'Deploy again once it answers: what was sent is not sent twice.',
  });

/** Files in Base64, as Cloudflare takes several at once. */
async function filesForm(files: readonly SiteFile[], source: DeploySource) {
  const form = new FormData();
  for (const file of files) {
    const name = assetHash(file);
    const text = (await source.bytes(file)).toString('base64');
    form.append(name, new Blob([text], { type: typeOf(file) }), name);
  }
  return formBody(form);
}

/** @returns undefined if the session has expired, a status if a gateway timed out. */
async function uploadGroup(
  { token, since, single }: Session,
  group: readonly SiteFile[],
  { source, api, run, onSent }: Upload,
): Promise<{ jwt?: string | undefined } | { status: number } | undefined> {
  run.signal.throwIfAborted();
  if (run.clock.now() - since > OLD) return undefined;
  const [first] = group;
  const isAlone = single !== undefined && first !== undefined;
  const answer = await api.ask(
    {
      method: 'POST',
      path: `/assets/upload${isAlone ? `/${assetHash(first)}` : '?base64=true'}`,
      ...(isAlone
        ? { headers: { 'content-type': typeOf(first) }, body: await source.bytes(first) }
        : await filesForm(group, source)),
      token,
      also: [...ENDED, ...GATEWAY],
      // The limit is one of accounts' tokens: its own tool sends 50 files at once without a pause. Where it
      // counts all the same, it says so, and how long to wait.
      uncounted: true,
      what: 'files',
    },
    z.object({ jwt: z.string().optional() }),
  );
  if ('status' in answer) return ENDED.includes(answer.status) ? undefined : answer;
  for (const file of group) onSent(file);
  return answer;
}
