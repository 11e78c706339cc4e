import { refuseOpenFiles } from '../files/system-errors.ts';

const FAULT_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed early',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  CERT_HAS_EXPIRED: 'its certificate has expired',
};

/**
 * A network fault in our own words, since the thrown error may contain an address or a header.
 *
 * @throws {MachineError} this machine has no open files left for a connection.
 */
export function describeNetworkFault(error: unknown): string {
  refuseOpenFiles(error);
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.name === 'TimeoutError') return 'no answer within the time allowed';
    if (/redirect/i.test(at.message)) return 'it answered with a redirect, which is not followed';
    const code = (at as NodeJS.ErrnoException).code;
    if (typeof code === 'string' && code !== '')
      return FAULT_WORDS[code] ?? `network fault ${code}`;
  }
  return 'network fault';
}
