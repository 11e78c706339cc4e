import type { DealerConfig } from '../../config/schema.ts';
import type { Texts } from '../i18n/text.ts';
import type { ContactView } from './view.ts';

// A number plate is arbitrary text, and encodeURIComponent throws for a lone surrogate.
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

const digits = (text: string): string => text.replace(/[^\d+]/g, '');

/**
 * Contact buttons of a dealer, the most used first. If a vehicle is given, messages are
 * prepared as an enquiry about it.
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
      // The 0 of "+44 (0)1632 960001" is only dialed without the country code.
      href: `tel:${digits(phone.replace(/^(\+.*)\(0\)/, '$1'))}`,
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

/** The fastest ways to reach the dealer: phone and WhatsApp, otherwise the form. */
export function quickContacts(contacts: readonly ContactView[]): ContactView[] {
  const fast = contacts.filter(({ kind }) => kind === 'phone' || kind === 'whatsapp');
  return fast.length > 0 ? fast : contacts.filter(({ kind }) => kind === 'form');
}
