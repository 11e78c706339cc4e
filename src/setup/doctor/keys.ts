import type { LoadedConfig } from '../../config/load.ts';
import type { Secret } from '../../config/secret.ts';
import { signingFault } from '../../config/site-secret.ts';
import { BATCH_KEY_FORM } from '../../contract/batch.ts';
import { type Finding, finding } from '../findings.ts';

/** What is wrong with the form of a key, in words that hold nothing of it; undefined if nothing is. */
export function keyFault(key: Secret, kind: 'media' | 'batch'): string | undefined {
  const text = key.reveal();
  if (key.forms().length === 0) return 'is too short for a key';
  if (/^["'`]|["'`]$/.test(text)) return 'stands in quotes';
  if (/\s/.test(text)) return 'has white space in it';
  if (/apikey=/i.test(text) || /^https?:/i.test(text)) return 'is an address, not a key';
  if (/[^\u0021-\u007e]/.test(text)) return 'has letters that no key has';
  if (kind === 'batch' && !BATCH_KEY_FORM.test(text)) {
    return 'is not five groups of 8-4-4-4-12 characters, joined by hyphens';
  }
  return undefined;
}

/** The keys of all dealers and accounts: whether they are there, and of a possible form. */
export function checkKeys({ dealers, accounts, siteSecret }: LoadedConfig): Finding[] {
  const findings = new Map<string, Finding>();
  const check = (variable: string, key: Secret, used: string, kind: 'media' | 'batch') => {
    if (key.reveal() === '') {
      const why = `${used} needs the key in it.`;
      const what = `${variable} is not set.`;
      findings.set(what, finding('key-missing', { variable, used }, what, { why }));
      return;
    }
    const reason = keyFault(key, kind);
    const what = `The key in ${variable} ${reason}.`;
    if (reason) findings.set(what, finding('key-form', { variable, reason }, what));
    else if (kind === 'media' && !siteSecret) {
      const fault = signingFault(key);
      const text = `The key in ${variable} ${fault}. It cannot sign the records of the published site.`;
      if (fault) findings.set(text, finding('key-short', { variable, fault }, text));
    }
  };
  for (const { name, apiKeyEnv, apiKey } of dealers) check(apiKeyEnv, apiKey, name, 'media');
  for (const { name, apiKeyEnv, apiKey } of accounts) {
    check(apiKeyEnv, apiKey, `account "${name}"`, 'batch');
  }
  return [...findings.values()];
}

/** Whether a key can be used at all. */
export function isUsable(key: Secret, kind: 'media' | 'batch'): boolean {
  return key.reveal() !== '' && keyFault(key, kind) === undefined;
}
