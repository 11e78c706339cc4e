import { type EnquirySetting, enquiryAddress } from '../../config/enquiry-schema.ts';
import type { DealerContext } from './context.ts';
import type { EnquiryView, VehicleView } from './view.ts';

/** Id of what is shown once an enquiry was sent; a part of addresses. */
const SENT = 'sent';

/** Where enquiries to a dealer go. */
export const enquirySettingOf = ({ dealer, enquiry }: DealerContext): EnquirySetting | undefined =>
  dealer.enquiry ?? enquiry;

/** Each provider's own names, as it documents them. */
function namesOf({ netlify, formspree, web3forms }: EnquirySetting) {
  if (netlify !== undefined) {
    return { own: [{ name: 'form-name', value: netlify }], trap: 'bot-field', subject: 'subject' };
  }
  if (formspree !== undefined) {
    return { own: [], trap: '_gotcha', subject: '_subject', back: '_next' };
  }
  if (web3forms !== undefined) {
    const own = [{ name: 'access_key', value: web3forms }];
    return { own, trap: 'botcheck', subject: 'subject', back: 'redirect' };
  }
  return { own: [], trap: '_gotcha', subject: 'subject' };
}

/** The form of a vehicle's page; undefined where enquiries have nowhere to go. */
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
  const { own, trap, subject, back } = { back: undefined, ...namesOf(setting) };
  const legal = context.frame.footer?.legal ?? [];
  return {
    // Netlify takes what is posted to any page of the site, and shows that page then.
    action: enquiryAddress(setting) ?? `${url}#${SENT}`,
    hidden: [
      ...own,
      { name: subject, value: fill(words.enquiry, { vehicle: fullName }) },
      { name: 'vehicle', value: name },
      { name: 'plate', value: plate },
      { name: 'page', value: canonical },
    ],
    back: back === undefined ? undefined : { name: back, value: `${canonical}#${SENT}` },
    trap: { name: trap, type: trap === 'botcheck' ? 'checkbox' : 'text' },
    privacy: legal.find(({ text }) => text === words.privacy)?.url ?? '',
  };
}
