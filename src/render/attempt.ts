/** Reads a file of the user. Undefined if that failed: the caller collects problems. */
export type Attempt = <T>(read: () => T | Promise<T>) => Promise<T | undefined>;
