import { z } from 'zod';
import { ROUTE_NAMES, type RouteName } from './route-names.ts';

/** A fault as it is asked for over HTTP; in one process, `match` may also be a RegExp. */
export const faultSchema = z.strictObject({
  route: z
    .enum([...ROUTE_NAMES, '*'])
    .default('*')
    .describe('Which kind of address. * is all.'),
  dealerId: z.int().optional().describe('Only requests whose query names this dealer.'),
  match: z.string().optional().describe('Only paths that contain this text.'),
  times: z.int().min(1).optional().describe('How often, then no more. Without it, until cleared.'),
  delayMs: z.number().min(0).optional().describe('Wait this long first, milliseconds.'),
  hang: z.boolean().optional().describe('Take the request and never answer.'),
  reset: z.boolean().optional().describe('Reset the connection (TCP RST).'),
  truncate: z
    .boolean()
    .optional()
    .describe('Announce the whole length, send half the body, close the connection.'),
  dripBytesPerSecond: z.number().positive().optional().describe('Send the body this slowly.'),
  wrongJson: z.boolean().optional().describe('Answer 200 with a body that is no JSON.'),
  emptyList: z.boolean().optional().describe('Answer 200 with [].'),
  redirectTo: z.string().optional().describe('Answer 302 (or `status`) to this address.'),
  status: z.int().min(200).max(599).optional().describe('Answer with this status.'),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('Headers added to the answer, such as Retry-After.'),
  body: z.string().optional().describe('Body in place of the true one.'),
});

export type Fault = Omit<z.input<typeof faultSchema>, 'match' | 'route'> & {
  route?: RouteName | '*';
  match?: string | RegExp;
};

/** An active fault, with how often it may still be applied. */
interface Armed {
  fault: Fault;
  left: number;
}

/** Properties of a request that faults match. */
export interface FaultSubject {
  route: RouteName;
  path: string;
  dealerId: number | undefined;
}

/**
 * The active faults. The first one that matches a request is applied, in the order they were set.
 * Control addresses get no faults, so that a fault can always be removed.
 */
export class Faults {
  private armed: Armed[] = [];

  /** Activates a fault and returns a function that removes it. */
  set(fault: Fault): () => void {
    const armed: Armed = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
    this.armed.push(armed);
    return () => {
      this.armed = this.armed.filter((other) => other !== armed);
    };
  }

  /** Removes all faults. */
  clear(): void {
    this.armed = [];
  }

  /** The active faults, with how often each may still be applied (null: no limit). */
  list(): { fault: Omit<Fault, 'match'> & { match?: string }; left: number | null }[] {
    return this.armed.map(({ fault: { match, ...fault }, left }) => ({
      fault: match === undefined ? fault : { ...fault, match: String(match) },
      left: Number.isFinite(left) ? left : null,
    }));
  }

  /** The fault for this request, counted as used. */
  take(subject: FaultSubject): Fault | undefined {
    if (subject.route === 'control') return undefined;
    const armed = this.armed.find(({ fault }) => matches(fault, subject));
    if (!armed) return undefined;
    armed.left--;
    if (armed.left <= 0) this.armed = this.armed.filter((other) => other !== armed);
    return armed.fault;
  }
}

function matches(fault: Fault, { route, path, dealerId }: FaultSubject): boolean {
  if (fault.route !== undefined && fault.route !== '*' && fault.route !== route) return false;
  if (fault.dealerId !== undefined && fault.dealerId !== dealerId) return false;
  if (fault.match === undefined) return true;
  if (typeof fault.match === 'string') return path.includes(fault.match);
  // A global or sticky expression has a `lastIndex`, so the flags are removed for a fault.
  return new RegExp(fault.match.source, fault.match.flags.replace(/[gy]/g, '')).test(path);
}
