import { hash } from 'node:crypto';

/**
 * IndexNow key of a site, 32 characters. A file of that name on the site proves that reports of changed
 * addresses come from its owner (https://www.indexnow.org/documentation). It is no secret.
 */
export const indexNowKey = (siteUrl: string): string =>
  hash('sha256', `indexnow ${siteUrl.replace(/\/+$/, '')}`).slice(0, 32);
