import type { EnquirySetting } from '../../config/opened-sources.ts';
import type { DealerContext } from './context.ts';
import type { EnquiryView, VehicleView } from './view.ts';

/** Id of what is shown once an enquiry was sent. A part of addresses. */
const SENT = 'sent';

/** Where enquiries to a dealer go. */
export const enquirySettingOf = ({ dealer, enquiry }: DealerContext): EnquirySetting | undefined =>
  dealer.enquiry ?? enquiry;

/** Each provider's own names, as it documents them. */
function namesOf({ netlify, address = '' }: EnquirySetting) {
  if (netlify !== undefined) {
    return { own: [{ name: 'form-name', value: netlify }], trap: 'bot-field', subject: 'subject' };
  }
  const url = new URL(address);
  if (url.host === 'formspree.io') {
    return { action: address, own: [], trap: '_gotcha', subject: '_subject', back: '_next' };
  }
  if (url.host === 'api.web3forms.com') {
    // It takes its key as a field.
    const own = [...url.searchParams].map(([name, value]) => ({ name, value }));
    const action = `${url.origin}${url.pathname}`;
    return { action, own, trap: 'botcheck', subject: 'subject', back: 'redirect' };
  }
  return { action: address, own: [], trap: '_gotcha', subject: 'subject' };
}

/** The form of a vehicle's page. Undefined where enquiries have nowhere to go. */
export function enquiryOf(
  {
    url,
    canonical,
    name,
    fullName,
    plate,
  }: Pick<VehicleView, 'url' | 'canonical' | 'name' | 'fullName' | 'plate'>,
  context: DealerContext,
): EnquiryView | undefined {
  const setting = enquirySettingOf(context);
  if (setting === undefined) return undefined;
  const { words, fill } = context.texts;
  const { action, own, trap, subject, back } = {
    ...{ action: undefined, back: undefined },
    ...namesOf(setting),
  };
  const legal = context.frame.footer?.legal ?? [];
  return {
    // Netlify takes what is posted to any page of the site, and shows that page then.
    action: action ?? `${url}#${SENT}`,
    hidden: [
      ...own,
      { name: subject, value: fill(words.enquiry, { vehicle: fullName }) },
      { name: 'vehicle', value: name },
      { name: 'plate', value: plate },
      { name: 'page', value: canonical },
    ],
    back: back === undefined ? undefined : { name: back, value: `${canonical}#${SENT}` },
    trap: { name: trap, type: trap === 'botcheck' ? 'checkbox' : 'text' },
    message: fill(words.enquiryText, { vehicle: fullName }),
    privacy: legal.find(({ text }) => text === words.privacy)?.url ?? '',
  };
}
