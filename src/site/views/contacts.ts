import type { DealerConfig } from '../../config/schema.ts';
import type { Texts } from '../i18n/text.ts';
import type { ContactView } from './view.ts';

// A registration mark is arbitrary text: half a surrogate pair would make encodeURIComponent throw.
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

const digits = (text: string): string => text.replace(/[^\d+]/g, '');

/**
 * Contact buttons of a dealer, in the order in which people use them. Where a vehicle is named, what
 * is written begins with it.
 */
export function contactsOf(
  { contact = {}, website }: Pick<DealerConfig, 'contact' | 'website'>,
  { words, fill }: Texts,
  vehicle?: { fullName: string; canonical: string },
): ContactView[] {
  const { phone, whatsapp, email } = contact;
  const subject = vehicle && fill(words.enquiry, { vehicle: vehicle.fullName });
  const message = vehicle && encode(`${subject}\n${vehicle.canonical}`);
  const contacts: ContactView[] = [];
  if (phone) {
    contacts.push({
      kind: 'phone',
      text: fill(words.call, { phone }),
      href: `tel:${digits(phone)}`,
    });
  }
  if (whatsapp) {
    const number = digits(whatsapp).replace('+', '');
    contacts.push({
      kind: 'whatsapp',
      text: words.whatsapp,
      href: `https://wa.me/${number}${message ? `?text=${message}` : ''}`,
    });
  }
  if (email) {
    const query = subject ? `?subject=${encode(subject)}&body=${message}` : '';
    contacts.push({ kind: 'email', text: words.email, href: `mailto:${email}${query}` });
  }
  if (website) contacts.push({ kind: 'website', text: words.website, href: website });
  return contacts;
}
