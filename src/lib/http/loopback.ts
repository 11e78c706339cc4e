const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL's host is this machine itself (`localhost`, `127.0.0.0/8`, `[::1]`). */
export const isLoopback = (url: URL): boolean => LOOPBACK.test(url.hostname);
