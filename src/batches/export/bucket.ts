import type { DeploySettings } from '../../config/deploy-settings.ts';
import { ConfigError } from '../../errors.ts';
import { HttpClient } from '../../lib/http/http.ts';
import { S3Client, s3Reason } from '../../lib/s3/client.ts';
import { sha256 } from '../model/canonical.ts';
import type { HistoryStore } from '../store/open.ts';
import { type Cell, type Chunks, groupsOf } from './format.ts';
import {
  beginRun,
  type Consumer,
  type Finished,
  findRun,
  finishRun,
  recordWritten,
} from './ledger.ts';
import { blocksOf } from './output.ts';
import type { Row, SeqRange } from './rows.ts';

/** Rows of one part. A part is built in memory. */
const PART_ROWS = 50_000;

/** Uploaded last: without it, the folder does not count as an export. */
const MANIFEST = 'manifest.json';

/** A number with zeros in front, so that numbers sort as text. */
const paddedNumber = (seq: number): string => String(seq).padStart(12, '0');

/** How requests are named in errors. */
const HOST = {
  code: 'export-s3',
  name: 'The S3 host',
  fix: 'Check the address, S3_ENDPOINT and S3_REGION (or AWS_REGION), and that the keys may list the bucket, and get, put and delete objects.',
  later: 'Run the export again. An incomplete export has no manifest, and is repeated completely.',
  reasonOf: s3Reason,
};

interface BucketExport {
  settings: DeploySettings['s3'];
  consumer: Consumer & { stream: string };
  /** Of its rows: `now`, `history`, `erasures` or `history-erasures`. Each stream of a consumer has another one. */
  kind: string;
  /** The last exported change of the stream. */
  from: number;
  /** File extension of the parts, such as `.parquet`. */
  ending: string;
  /** Replace an export that is not in this history. */
  force: boolean;
  partRows?: number;
  signal?: AbortSignal;
}

/**
 * The folder of one export in a bucket. It has parts, named after their changes, and a manifest. The folder is named
 * after its first change, so the repetition of a killed run uses the same folder.
 */
export function bucketFolder(store: HistoryStore, options: BucketExport) {
  const { settings, consumer, kind, from, ending, force, partRows = PART_ROWS, signal } = options;
  const http = new HttpClient({ ...HOST, signal });
  const { endpoint, bucket, prefix, ...keys } = settings;
  const name = `${kind === 'now' ? 'changes' : kind}-${paddedNumber(from + 1)}`;
  const folder = prefix === '' ? name : `${prefix}/${name}`;
  const place = { bucket: `${endpoint}/${bucket}`, folder };
  const client = new S3Client({ ...keys, ...place, http });
  const address = `s3://${bucket}/${folder}/${MANIFEST}`;
  const { stream } = consumer;
  const existsError = () =>
    new ConfigError({
      code: 'export-output-exists',
      what: `The export cannot be written: ${address} already exists.`,
      why: 'Another history or another stream wrote it, or this history is an older copy.',
      fix: 'Name another PREFIX, or add --force to replace that export.',
    });
  return {
    manifest: address,

    /**
     * Moves the position of the stream if a run was killed after it uploaded its manifest.
     *
     * @returns that run, or undefined if the folder has no manifest.
     * @throws {ConfigError} the manifest belongs to another history or stream.
     */
    async settle(): Promise<Finished | undefined> {
      const manifest = await client.get(MANIFEST);
      if (!manifest) return undefined;
      const run = findRun(store, { stream, output: address, sha256: sha256(manifest.bytes) });
      if (run) finishRun(store, run.id);
      else if (force) await client.delete(MANIFEST);
      else throw existsError();
      return run;
    },

    /** Uploads the parts, deletes other files of a killed run, uploads the manifest and moves the position. */
    async write(
      range: SeqRange,
      rows: Iterable<Row>,
      encode: (rows: Iterable<Cell[]>) => Chunks,
    ): Promise<number> {
      const parts = [];
      let last = range.from;
      for (const group of groupsOf(rows, partRows)) {
        const first = last + 1;
        last = group.at(-1)?.seq ?? last;
        const chunks = encode(group.map(({ cells }) => cells));
        const bytes = Buffer.concat(await Array.fromAsync(blocksOf(chunks)));
        const name = `${paddedNumber(first)}-${paddedNumber(last)}${ending}`;
        await client.put(name, bytes);
        const part = { name, first, last, rows: group.length };
        parts.push({ ...part, bytes: bytes.length, sha256: sha256(bytes) });
      }
      // Ends the snapshot from which the parts were read.
      store.db.exec('COMMIT');
      const names = new Set(parts.map(({ name }) => name));
      for await (const { key } of client.list('')) if (!names.has(key)) await client.delete(key);
      const total = parts.reduce((sum, part) => sum + part.rows, 0);
      const content = { stream, kind, after: range.from, to: range.to, rows: total, parts };
      const text = `${JSON.stringify(content, null, 2)}\n`;
      // Not before the uploads: a write in the snapshot would block pulls until its end.
      const run = beginRun(store, consumer, address);
      recordWritten(store, run, { ...range, rows: total, sha256: sha256(text) });
      const headers = { 'content-type': 'application/json' };
      if (!(await client.putIf(MANIFEST, text, { ifNoneMatch: '*' }, headers))) {
        // It may exist because the response to an earlier try was lost.
        const manifest = await client.get(MANIFEST);
        if (!manifest?.bytes.equals(Buffer.from(text))) throw existsError();
      }
      finishRun(store, run);
      return total;
    },

    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}
