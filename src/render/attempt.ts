/** Reads a file of the user. Undefined if that failed and the caller collects problems. */
export type Attempt = <T>(read: () => T | Promise<T>) => Promise<T | undefined>;

/** Throws the first problem. */
export const atOnce: Attempt = async (read) => read();
