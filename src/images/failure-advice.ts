const LATER = 'Try again later. If it lasts, ask the vendor about the server of the pictures.';
const REPLACE = 'Ask the vendor to replace these pictures.';

/** Fixes by code. A code without an entry is a transient fault or a bug. */
const BY_CODE: Readonly<Record<string, string>> = {
  'download-host': "If the host is your vendor's, add it to media.hosts.",
  'download-address':
    'Pictures come from public addresses only. If this network is yours, add it to media.privateNetworks.',
  'download-redirects': 'Ask the vendor for URLs of pictures that do not redirect.',
  'download-encoding': 'Ask the vendor to serve pictures without compression.',
  'download-too-large': 'Ask the vendor for smaller pictures.',
  'picture-too-large': 'Ask the vendor for smaller pictures.',
  'picture-format': REPLACE,
  'picture-undecodable': REPLACE,
  'picture-killed-worker': 'Give workers more memory, or ask the vendor to replace these pictures.',
  'worker-failed': 'Correct the store or the disk of the workers, and build again.',
};

/** Advice about a failed picture, by its cause. */
export function failureAdvice({ code, message }: { code: string; message: string }): string {
  const [, status = ''] = (code === 'download-status' && /\b(\d{3})$/.exec(message)) || [];
  if (['404', '410'].includes(status)) {
    return 'The vendor lists pictures that its server does not have: send the vendor their URLs.';
  }
  if (['401', '403'].includes(status)) {
    return 'The server of the pictures refuses access: ask the vendor to open them to the public.';
  }
  return BY_CODE[code] ?? LATER;
}
