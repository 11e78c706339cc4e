import { deploySettings } from '../../../src/config/deploy-settings.ts';
import { s3Host } from '../../../src/deploy/hosts/s3.ts';
import type { S3Host } from './s3.ts';
import type { Site } from './change-set.ts';
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

export const PICTURE = (digit: number) => `media/ab/${`${digit}`.repeat(18)}-320-abcdef.webp`;

/** Two nights of a site whose pages name their pictures. */
export const [FIRST, SECOND] = [
  {
    'index.html': `<p>1 ${PICTURE(1)}`,
    'one/index.html': `<p>one ${PICTURE(1)} ${PICTURE(2)}`,
    'two/index.html': `<p>two ${PICTURE(2)}`,
    'one/media.json': '{}',
    'api/records/times.json': 'night 1',
    [PICTURE(1)]: 'picture 1',
    [PICTURE(2)]: 'picture 2',
  },
  {
    'index.html': `<p>2 ${PICTURE(1)} ${PICTURE(3)}`,
    'one/index.html': `<p>one ${PICTURE(1)} ${PICTURE(3)}`,
    'one/media.json': '{}',
    'api/records/times.json': 'night 2',
    'three/index.html': `<p>three ${PICTURE(3)}`,
    [PICTURE(1)]: 'picture 1',
    [PICTURE(3)]: 'picture 3',
  },
] satisfies [Site, Site];
