import type { DealerConfig } from '../config/schema.ts';
import type { Texts } from './text.ts';
import type { ContactView } from './view.ts';

const digits = (text: string): string => text.replace(/[^\d+]/g, '');

/** Contact buttons of a dealer, in the order in which people use them. */
export function contactsOf(
  { contact = {}, website }: DealerConfig,
  { words }: Texts,
): ContactView[] {
  const { phone, whatsapp, email } = contact;
  return [
    ...(phone
      ? [{ kind: 'phone' as const, text: `${words.call} ${phone}`, href: `tel:${digits(phone)}` }]
      : []),
    ...(whatsapp
      ? [
          {
            kind: 'whatsapp' as const,
            text: words.whatsapp,
            href: `https://wa.me/${digits(whatsapp).replace('+', '')}`,
          },
        ]
      : []),
    ...(email ? [{ kind: 'email' as const, text: words.email, href: `mailto:${email}` }] : []),
    ...(website ? [{ kind: 'website' as const, text: words.dealerWebsite, href: website }] : []),
  ];
}
