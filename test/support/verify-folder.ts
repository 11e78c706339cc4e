import { readFileSync } from 'node:fs';
import path from 'node:path';
import { listFiles } from '../../src/change-set/listing.ts';
import type { Secret } from '../../src/config/secret.ts';
import { SecretSearch } from '../../src/config/secret-search.ts';
import { OutputNames } from '../../src/images/output-names.ts';
import { isSafeFile } from '../../src/lib/files/safe-file.ts';
import { isSiteFile } from '../../src/publish/finish/site-form.ts';
import {
  refuseFindings,
  type VerifyOptions,
  verifyFiles,
} from '../../src/publish/verify/verify.ts';

/**
 * Checks every file of a folder like a build checks its files.
 *
 * @throws if a file must not be published.
 */
export async function verifyFolder(
  folder: string,
  siteUrl: string,
  { secrets = [], ...options }: { secrets?: readonly Secret[] } & Partial<VerifyOptions> = {},
): Promise<void> {
  const outputs = new OutputNames();
  const { files, odd } = listFiles(folder, (name) => outputs.add(name));
  const unsafe = [...odd, ...files.filter((file) => !isSafeFile(file))];
  if (unsafe.length > 0) throw new Error(`no files of a site: ${unsafe}`);
  const found = await verifyFiles({
    read: (file) => readFileSync(path.join(folder, file)),
    siteUrl,
    search: SecretSearch.of(secrets),
    opened: {},
    mentionsFields: false,
    newKeys: new Map(files.map((file) => [file, ''])),
    unchangedRows: new Map(),
    outputs,
    fromService: new Set(),
    ...options,
  });
  refuseFindings([found], (file) => isSiteFile(folder, file));
}
