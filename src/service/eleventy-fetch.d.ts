/** The part of @11ty/eleventy-fetch that this program uses. The package has no types. */
declare module '@11ty/eleventy-fetch' {
  interface FetchOptions {
    requestId: string;
    type: 'buffer';
    duration: string;
    formatUrlForDisplay: () => string;
    filenameFormat: (id: string, hash: string) => string;
  }
  const Fetch: {
    RemoteAssetCache: new (
      source: () => Promise<Buffer>,
      directory: string,
      options: FetchOptions,
    ) => { fetch(): Promise<unknown> };
  };
  export default Fetch;
}
