import { hash } from 'node:crypto';

/**
 * IndexNow key of a site, 32 characters. A file with this name on the site proves that reports of changed URLs
 * come from its owner (https://www.indexnow.org/documentation). It is not a secret.
 */
export const indexNowKey = (siteUrl: string): string =>
  hash('sha256', `indexnow ${siteUrl.replace(/\/+$/, '')}`).slice(0, 32);
