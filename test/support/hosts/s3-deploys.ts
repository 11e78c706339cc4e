import { deploySettings } from '../../../src/config/deploy-settings.ts';
import { s3Host } from '../../../src/deploy/hosts/s3.ts';
import type { S3Host } from '../s3-host.ts';
import { type Site, servedOf } from './change-set.ts';
import { type DeployToOptions, deployTo } from './deploys.ts';

export const SITE: Site = {
  'index.html': '<p>front',
  'one/index.html': '<p>dealer',
  'one/media.json': '{}',
  'assets/site.css': 'p{}',
  'api/records/times.json': 'night 1',
  'media/ab/cdef0123456789abcd-320-abcdef.webp': 'picture',
  'media/ab/o ld+1.jpg': 'old picture',
  _headers: '/*',
};

/** Deploys to a bucket by other settings than its own, too. */
export const clientOf = (environment: Record<string, string>) => ({
  host: s3Host(deploySettings('s3', environment)),
  secret: environment.AWS_SECRET_ACCESS_KEY ?? '',
});

export const deploy = (host: S3Host, folder: string, options: DeployToOptions = {}) =>
  deployTo(clientOf(host.environment()), folder, options);

/** What it says where it fails. */
export const failing = async (
  deploying: Promise<unknown>,
): Promise<{ code: string; exitCode: number }> => {
  const error = await deploying.then(
    () => new Error('It succeeded.'),
    (reason: unknown) => reason,
  );
  return error as { code: string; exitCode: number } & Error;
};

/** The site as the bucket has it; rules for hosts are no files there. */
export const bucketOf = (site: Site) => servedOf(site);

export const PICTURE = (digit: number) => `media/ab/${`${digit}`.repeat(18)}-320-abcdef.webp`;
