/** An answer of a host. */
export interface HttpAnswer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string> | undefined;
  body?: Buffer | string | undefined;
  /** Statuses that are answers, besides 2xx: they come back instead of being an error or tried again. */
  also?: readonly number[];
  /** Statuses that are tried again, besides 408, 429, 5xx and network faults. */
  again?: readonly number[];
  /** What it is, for errors: `the list of files`. */
  what: string;
}

/** Asks hosts, with their waits, their limits and a count of what it cost. */
export interface Http {
  /**
   * @throws {RefusedError} the host refused it (4xx).
   * @throws {UnreachableError} after all tries, or where it asks for a wait of more than 15 minutes.
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Requests so far, and bytes of their bodies and of the answers. */
  readonly counts: { requests: number; up: number; down: number };
}
