import { type Dirent, existsSync, lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import { CHANGED_FILES, CHANGES, isChangesFile } from '../../change-set/change-set.ts';
import { isThumbnail, listSite, type SiteListing } from '../../change-set/listing.ts';
import { ConfigError } from '../../errors.ts';
import { MEDIA } from '../../images/stores/folder.ts';
import { SYSTEM_FILES, someFiles } from '../../lib/files/claim.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { readIfReadable } from '../../lib/files/read.ts';
import { type FileRows, fileHash } from '../../record/files.ts';
import { isRecordFile } from '../../record/published-records.ts';
import { changedFiles } from '../changes/changes.ts';
import { FilesInFolder } from '../site-diff/published-files.ts';

/** Files that every site has, with their schema titles, which are the same in all versions. */
const SCHEMAS = {
  'schema/vehicle-media.json': 'Media of a vehicle',
  'schema/dealer-media.json': 'Vehicles of a dealer',
};

/**
 * Patterns of a site's files, used if no list names them. Pages of another language are in its folder. Custom
 * pages are recognised only if the sitemap lists them.
 */
const FORMS = [
  /^(?:404\.html|robots\.txt|moved\.json|_headers|embed\.js|sitemap(?:-front)?\.xml|netlify-forms\.html|[0-9a-f]{32}\.txt)$/,
  /^(?:[a-z]{2,3}\/)?(?:index\.html|index\.json|(?:saved|imprint|privacy)\/index\.html|make\/[a-z0-9-]+\/index\.html)$/,
  /^schema\/(?:vehicle|dealer)-media\.json$/,
  /^assets\/[\w./-]+$/,
  /^feeds\/(?:[a-z0-9-]+\/)?[a-z0-9-]+\.(?:csv|tsv|xml)$/,
  /^embed\/(?:[a-z]{2,3}\/)?[a-z0-9-]+\/[a-z0-9-]+\/index\.html$/,
];
const OF_DEALER =
  /^([a-z0-9-]+)\/(?:(?:plates|media|index|feed)\.json|feed\.xml|sitemap(?:-\d+)?\.xml|front\.jpg|(?:[a-z0-9-]+\/)?card\.jpg|(?:[a-z0-9-]+\/){0,4}index\.html|[a-z0-9-]+\/(?:media|oembed)\.json)$/;

const notOurs = (what: string, why: string, fix: string): ConfigError =>
  new ConfigError({ code: 'output-not-ours', what, why, fix });

const ANOTHER = 'Choose another folder with --output, preferably a new one.';

/**
 * Checks whether a published folder may be replaced. It must be missing, empty, or contain only files from
 * builds, because a build replaces the whole folder and deletes the old one.
 *
 * @param output a path without symbolic links, see `resolveLinks`.
 * @returns its listing.
 * @throws {ConfigError} it contains user files.
 */
export function checkSiteFolder(output: string): SiteListing {
  const status = statSync(output, { throwIfNoEntry: false });
  if (!status) return listSite(output);
  if (!status.isDirectory()) {
    throw notOurs(`${output} is not a folder.`, 'The name is already in use.', ANOTHER);
  }
  if (isChangesFile(path.join(output, CHANGES))) {
    throw notOurs(
      `${output} is a change set, not a published folder.`,
      'npm run build -- --thin created it for npm run deploy.',
      ANOTHER,
    );
  }
  const { rows, isComplete } = new FilesInFolder(output).all();
  const listing = listSite(output);
  const { files, odd, thumbnails } = listing;
  const siteFiles = files.filter((file) => !SYSTEM_FILES.has(path.posix.basename(file)));
  if (siteFiles.length === 0 && odd.length === 0 && thumbnails.size === 0) return listing;
  if (!wasPublished(output, rows) && !isSite(output)) {
    throw notOurs(
      `${output} contains files that no build made: ${someFiles([...siteFiles, ...odd, ...(thumbnails.size > 0 ? [MEDIA] : [])])}.`,
      'A build replaces the complete folder, so these files would be lost.',
      ANOTHER,
    );
  }
  const hasForm = isComplete ? () => false : formOf(output);
  const isOurs = (file: string) => rows.has(file) || isRecordFile(file) || hasForm(file);
  const unrelatedFiles = siteFiles.filter((file) => !isOurs(file));
  unrelatedFiles.push(...odd);
  if (unrelatedFiles.length === 0) return listing;
  throw notOurs(
    `The published folder ${output} contains files that no build made: ${someFiles(unrelatedFiles)}.`,
    'A build replaces the complete folder, so these files would be lost.',
    'Move them out. To add files to the site, see "Additional files" in docs/hosting.md. Remains of an older version may be deleted.',
  );
}

/**
 * Checks whether a folder may be replaced by a change set. It must be missing, empty or a change set. Files that
 * a user added to a change set are copies for one deploy, so they may be deleted.
 *
 * @param output a path without symbolic links, see `resolveLinks`.
 * @throws {ConfigError} it contains other files.
 */
export function checkChangesFolder(output: string): void {
  const status = statSync(output, { throwIfNoEntry: false });
  if (status?.isDirectory() === false) {
    throw notOurs(`${output} is not a folder.`, 'The name is already in use.', ANOTHER);
  }
  const names = entriesOf(output)
    .map(({ name }) => name)
    .filter((name) => !SYSTEM_FILES.has(name));
  const unrelatedNames = names.filter((name) => name !== CHANGES && name !== CHANGED_FILES);
  const files = lstatSync(changedFiles(output), { throwIfNoEntry: false });
  const isOurs = isChangesFile(path.join(output, CHANGES)) && files?.isDirectory() !== false;
  if (names.length === 0 || (isOurs && unrelatedNames.length === 0)) return;
  throw notOurs(
    `${output} contains files that do not belong to a change set: ${someFiles(isOurs ? unrelatedNames : names)}.`,
    'With --thin a build replaces the folder with a change set, so these files would be lost.',
    'Choose another folder with --output, preferably a new one. --whole makes the full site.',
  );
}

/**
 * Whether no folder of a site has changed since the last check, apart from files from builds. Reading the
 * modification times of folders takes a tenth of the time of listing them.
 */
export function isUntouchedSite(output: string): boolean {
  const published = new FilesInFolder(output);
  const { rows, isComplete } = published.all();
  const folders = new Set(['.', 'media', 'api', 'api/records']);
  for (const { name } of entriesOf(path.join(output, MEDIA))) folders.add(MEDIA + name);
  for (const file of rows.keys()) {
    let folder = path.posix.dirname(file);
    for (; !folders.has(folder); folder = path.posix.dirname(folder)) folders.add(folder);
  }
  const isOurs = (entry: Dirent, name: string): boolean =>
    entry.isDirectory()
      ? folders.has(name)
      : entry.isFile() && (rows.has(name) || isRecordFile(name) || isThumbnail(name));
  const isUntouched = (folder: string): boolean => {
    const stats = lstatSync(path.join(output, folder), { throwIfNoEntry: false });
    if (!stats || (stats.isDirectory() && stats.mtimeMs < published.since)) return true;
    const isOursHere = (entry: Dirent) => isOurs(entry, path.posix.join(folder, entry.name));
    return stats.isDirectory() && entriesOf(path.join(output, folder)).every(isOursHere);
  };
  return isComplete && [...folders].every(isUntouched);
}

/** Whether any file is identical to a published one. */
function wasPublished(output: string, rows: FileRows): boolean {
  for (const [file, { hash }] of rows) {
    const bytes = readIfReadable(path.join(output, file));
    if (bytes && fileHash(bytes) === hash) return true;
  }
  return false;
}

/** Whether it is a site without its lists of files, such as a copy or a restored backup. */
const isSite = (output: string): boolean =>
  Object.entries(SCHEMAS).every(([file, title]) => {
    const text = readIfReadable(path.join(output, file))?.toString('utf8');
    return text?.startsWith(`{\n  "title": "${title}"`) === true;
  });

/** Returns a function that recognises files from builds, by their paths and the site's sitemap. */
function formOf(output: string): (file: string) => boolean {
  const sitemap = readIfReadable(path.join(output, 'sitemap-front.xml'))?.toString('utf8') ?? '';
  const isDealer = (slug: string) =>
    ['media', 'plates'].every((name) => existsSync(path.join(output, slug, `${name}.json`)));
  const isOfDealer = (file: string) => {
    const [, slug] = OF_DEALER.exec(file) ?? [];
    return slug !== undefined && isDealer(slug);
  };
  return (file) =>
    FORMS.some((form) => form.test(file)) ||
    isOfDealer(file) ||
    // In the folder of another language.
    isOfDealer(file.replace(/^[a-z]{2,3}\//, '')) ||
    (OF_DEALER.test(file) && sitemap.includes(`/${file.replace(/index\.html$/, '')}</loc>`));
}
