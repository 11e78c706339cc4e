/** The kinds of address the service answers, as faults and the request log name them. */
export type RouteName = 'media' | 'batches' | 'picture' | 'poster' | 'video' | 'openapi' | 'page';

const PREFIXES: readonly (readonly [prefix: string, route: RouteName])[] = [
  ['/PublicAPI/GetMediaByDealer', 'media'],
  ['/PublicAPI/MyVideos/', 'batches'],
  ['/pictures/', 'picture'],
  ['/posters/', 'poster'],
  ['/player/', 'video'],
  ['/hosted/', 'video'],
  ['/openapi.json', 'openapi'],
];

/** The kind of a request path; anything that is not listed is a `page`. */
export function routeOf(path: string): RouteName {
  return PREFIXES.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'page';
}

/** What goes wrong with some requests; docs/service.md describes each field. */
export interface Fault {
  route?: RouteName | '*' | undefined;
  dealerId?: number | undefined;
  /** Only paths that contain this. */
  match?: string | RegExp | undefined;
  /** How often. Without it, until cleared. */
  times?: number | undefined;
  delayMs?: number | undefined;
  hang?: boolean | undefined;
  reset?: boolean | undefined;
  truncate?: boolean | undefined;
  dripBytesPerSecond?: number | undefined;
  wrongJson?: boolean | undefined;
  emptyList?: boolean | undefined;
  redirectTo?: string | undefined;
  status?: number | undefined;
  headers?: Record<string, string> | undefined;
  body?: string | undefined;
}

/** Properties of a request that faults match. */
export interface FaultSubject {
  route: RouteName;
  path: string;
  dealerId: number | undefined;
}

/** The active faults. The first one that matches a request is applied, in the order they were set. */
export class Faults {
  private armed: { fault: Fault; left: number }[] = [];

  /** Activates a fault and returns a function that removes it. */
  set(fault: Fault): () => void {
    const armed = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
    this.armed.push(armed);
    return () => {
      this.armed = this.armed.filter((other) => other !== armed);
    };
  }

  /** Removes all faults. */
  clear(): void {
    this.armed = [];
  }

  /** The fault for this request, counted as used. */
  take(subject: FaultSubject): Fault | undefined {
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
  const { match = '' } = fault;
  return typeof match === 'string' ? path.includes(match) : path.search(match) !== -1;
}
