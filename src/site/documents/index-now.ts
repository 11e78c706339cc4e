import { hash } from 'node:crypto';

/**
 * Key of IndexNow for a site, 32 characters: whoever tells of changed addresses shows by a file of
 * that name that the site is theirs (https://www.indexnow.org/documentation). It is no secret.
 */
export const indexNowKey = (siteUrl: string): string =>
  hash('sha256', `indexnow ${siteUrl.replace(/\/+$/, '')}`).slice(0, 32);
