import type { EnquirySetting } from '../../config/opened-sources.ts';
import type { DealerContext } from './context.ts';
import type { EnquiryView, VehicleView } from './view.ts';

/** Id of the element that is shown after an enquiry was sent. A part of URLs. */
const SENT = 'sent';

/** Destination of enquiries to a dealer. */
export const enquirySettingOf = ({ dealer, enquiry }: DealerContext): EnquirySetting | undefined =>
  dealer.enquiry ?? enquiry;

/** Names of a provider, as it documents them, and its additional fields. */
interface ProviderForm {
  action?: string;
  fields: EnquiryView['hidden'];
  trap: string;
  subject: string;
  back?: string;
}

function providerForm({ netlify, address = '' }: EnquirySetting): ProviderForm {
  if (netlify !== undefined) {
    const fields = [{ name: 'form-name', value: netlify }];
    return { fields, trap: 'bot-field', subject: 'subject' };
  }
  const url = new URL(address);
  if (url.host === 'formspree.io') {
    return { action: address, fields: [], trap: '_gotcha', subject: '_subject', back: '_next' };
  }
  if (url.host === 'api.web3forms.com') {
    // The key of the query must be a field.
    const fields = [...url.searchParams].map(([name, value]) => ({ name, value }));
    const action = `${url.origin}${url.pathname}`;
    return { action, fields, trap: 'botcheck', subject: 'subject', back: 'redirect' };
  }
  return { action: address, fields: [], trap: '_gotcha', subject: 'subject' };
}

/** The form of a vehicle's page. Undefined if enquiries have no destination. */
export function enquiryOf(
  vehicle: Pick<VehicleView, 'url' | 'canonical' | 'name' | 'fullName' | 'plate'>,
  context: DealerContext,
): EnquiryView | undefined {
  const { url, canonical, name, fullName, plate } = vehicle;
  const setting = enquirySettingOf(context);
  if (setting === undefined) return undefined;
  const { words, fill } = context.texts;
  const { action, fields, trap, subject, back } = providerForm(setting);
  const legal = context.frame.footer?.legal ?? [];
  return {
    // Netlify accepts forms that are posted to any page of the site, and then shows that page.
    action: action ?? `${url}#${SENT}`,
    hidden: [
      ...fields,
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
