import { MAKE_SITE_SECRET } from '../../config/site-secret.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { timeText } from '../../lib/terminal/progress.ts';
import { counted, entry, NOTHING, passedOn } from './entry.ts';

/** What is said of keys, and what the service answers. */
export const SERVICE = {
  'key-missing': entry(
    'error',
    'A key is not set.',
    ({ variable, used }: { variable: string; used: string }) => ({
      what: `${variable} is not set.`,
      why: `${used} needs the key in it.`,
      fix: `Put ${variable}=… into .env, or into the secrets of your CI.`,
    }),
  ),
  'key-short': entry(
    'warning',
    'A key is too short, or has too few different characters, to sign the records of the published site, and `SITE_SECRET` is not set.',
    ({ variable, fault }: { variable: string; fault: string }) => ({
      what: `The key in ${variable} ${fault}. It cannot sign the records of the published site.`,
      why: 'Signatures are public, so such a key could be guessed from them. A build on a machine without cache cannot trust unsigned records. If the service then fails, it publishes nothing, and pages of withdrawn vehicles are lost.',
      fix: `Set SITE_SECRET in .env and among the secrets of your CI. "npm run init" makes one, and so does: ${MAKE_SITE_SECRET}`,
    }),
  ),
  'key-form': entry(
    'error',
    'A key has a form that cannot be right.',
    ({ variable, reason }: { variable: string; reason: string }) => ({
      what: `The key in ${variable} ${reason}.`,
      why: 'The service would refuse it. The key itself is never shown here.',
      fix: `Copy the key again into ${variable}: nothing before it, nothing behind it, no quotes.`,
    }),
  ),
  'dealer-answers': entry(
    'info',
    'The service answers for a dealer.',
    (a: { dealer: string; ms: number; vehicles: number; pictures: number; videos: number }) => ({
      what: `${a.dealer}: ${countText(a.vehicles, 'vehicle')}, ${countText(a.pictures, 'picture')}, ${countText(a.videos, 'video')} in ${timeText(a.ms)}.`,
      why: 'The service answered, and the answer fits.',
      fix: NOTHING,
    }),
  ),
  'dealer-slow': entry(
    'warning',
    'The service is close to its deadline.',
    ({ dealer, ms, timeout }: { dealer: string; ms: number; timeout: number }) => ({
      what: `${dealer}: the answer took ${timeText(ms)}.`,
      why: `After ${timeText(timeout)} (service.timeout) a try is given up.`,
      fix: 'Raise service.timeout.',
    }),
  ),
  'dealer-empty': entry(
    'warning',
    'A dealer has no vehicles.',
    ({ dealer }: { dealer: string }) => ({
      what: `${dealer}: the service lists no vehicle.`,
      why: 'The dealer may be new, or the id may be of another dealer.',
      fix: 'Check dealers[].id with the vendor.',
    }),
  ),
  'dealer-fails': entry('error', 'The service gives no usable answer for a dealer.', passedOn),
  'account-answers': entry(
    'info',
    'The service answers for an account.',
    ({ account, ms, batches }: { account: string; ms: number; batches: number }) => ({
      what: `${account}: ${countText(batches, 'batch', 'batches')} in ${timeText(ms)}.`,
      why: 'The service answered for the last days of history.',
      fix: NOTHING,
    }),
  ),
  'account-fails': entry('error', 'The service gives no usable answer for an account.', passedOn),
  'unknown-fields': entry(
    'info',
    'The answer has fields that the interface does not name.',
    ({ subject, fields }: { subject: string; fields: Record<string, number> }) => ({
      what: `${subject}: fields that are not in the interface: ${counted(fields)}.`,
      why: 'They are not used. New fields are no fault.',
      fix: NOTHING,
    }),
  ),
  'field-names': entry(
    'warning',
    'The service writes fields under other names.',
    ({ subject, setting, value }: { subject: string; setting: string; value: string }) => ({
      what: `${subject}: the service seems to use names of its own: ${value}.`,
      why: 'Under the configured names nothing is found, so what they hold is lost.',
      fix: `Set service.fieldNames.${setting} to '${value}' in site.config.ts.`,
    }),
  ),
  'set-aside': entry(
    'warning',
    'Records or media items break the contract.',
    (a: { subject: string; code: string; count: number; path: string; message: string }) => ({
      what: `${a.subject}: ${a.count} set aside with ${a.code}, the first at ${a.path}.`,
      why: `It ${/^(?:is|has|must|does)/.test(a.message) ? a.message : `breaks the contract: ${a.message}`}.`,
      fix: 'The rest is published. Send code and place to the vendor.',
    }),
  ),
  'set-aside-too-many': entry(
    'error',
    'So many records break the contract that a build would not use the answer.',
    (a: { dealer: string; quarantined: number; received: number; allowed: number }) => ({
      what: `${a.dealer}: ${a.quarantined} of ${countText(a.received, 'record')} break the contract.`,
      why: `A build uses no answer with more than ${Math.round(a.allowed * 100)} % (publish.maxQuarantined).`,
      fix: 'Send the codes above to the vendor; raise the limit only if you know why.',
    }),
  ),
  'unknown-types': entry(
    'warning',
    'Media of a type that is not known.',
    ({ dealer, types }: { dealer: string; types: Record<string, number> }) => ({
      what: `${dealer}: media of unknown type: ${counted(types)}.`,
      why: 'Only images and videos are known; others are counted and left out.',
      fix: 'Ask the vendor what they are.',
    }),
  ),
  'duplicate-plates': entry(
    'warning',
    'A plate is listed twice.',
    ({ dealer, count }: { dealer: string; count: number }) => ({
      what: `${dealer}: ${countText(count, 'record repeats', 'records repeat')} a number plate.`,
      why: 'The newest record of a plate is used.',
      fix: 'Remove the older one at the vendor.',
    }),
  ),
  'embed-hosts': entry(
    'warning',
    'Hosted videos of a host that no provider matches.',
    ({ hosts }: { hosts: Record<string, number> }) => ({
      what: `Videos of hosts without a provider: ${counted(hosts)}.`,
      why: 'Only players of known hosts are embedded; these videos are linked instead.',
      fix: 'Add the host to videos.providers (docs/configuration.md), if you trust it.',
    }),
  ),
};
