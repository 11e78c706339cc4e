import { randomUUID } from 'node:crypto';
import type { SiteFile } from '../../../publish/change-set/change-set.ts';

/** Body and headers of a form request. */
export interface Form {
  headers: Record<string, string>;
  body: Buffer;
}

interface Part {
  name: string;
  type: string;
  /** File name of the part. */
  file?: string;
  /** Bytes that {@link write} writes. */
  size: number;
  write(into: Buffer, at: number): void | Promise<void>;
}

/** `multipart/form-data` (RFC 7578), written into one piece of memory: it may hold 50 MiB of pictures. */
async function write(parts: readonly Part[]): Promise<Form> {
  const boundary = `form-${randomUUID()}`;
  const heads = parts.map(({ name, type, file }) => {
    const fileName = file === undefined ? '' : `; filename="${file}"`;
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName}\r\nContent-Type: ${type}\r\n\r\n`;
  });
  const end = `--${boundary}--\r\n`;
  const length = parts.reduce(
    (sum, { size }, index) => sum + (heads[index]?.length ?? 0) + size + 2,
    end.length,
  );
  const body = Buffer.alloc(length);
  let at = 0;
  for (const [index, part] of parts.entries()) {
    at += body.write(heads[index] ?? '', at, 'latin1');
    await part.write(body, at);
    at += part.size;
    at += body.write('\r\n', at, 'latin1');
  }
  body.write(end, at, 'latin1');
  return { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, body };
}

/** What a version is made of. */
export const metadataForm = (metadata: object): Promise<Form> => {
  const text = Buffer.from(JSON.stringify(metadata));
  return write([
    {
      name: 'metadata',
      type: 'application/json',
      size: text.length,
      write: (into, at) => void text.copy(into, at),
    },
  ]);
};

/** A file by the name that the host has for its content. */
export interface NamedFile {
  hash: string;
  type: string;
  file: SiteFile;
}

/** Files in Base64, as Cloudflare takes several at once. */
export const filesForm = (
  files: readonly NamedFile[],
  bytesOf: (file: SiteFile) => Promise<Buffer>,
): Promise<Form> =>
  write(
    files.map(({ hash, type, file }) => ({
      name: hash,
      file: hash,
      type,
      size: Math.ceil(file.size / 3) * 4,
      write: async (into, at) => {
        into.write((await bytesOf(file)).toString('base64'), at, 'latin1');
      },
    })),
  );
