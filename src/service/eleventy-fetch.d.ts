/** The part of @11ty/eleventy-fetch that this program uses. The package has no types. */
declare module '@11ty/eleventy-fetch' {
  export class AssetCache {
    constructor(
      id: string,
      directory: string,
      options: { filenameFormat: (id: string, hash: string) => string },
    );
    isCacheValid(duration: string): boolean;
    getCachedValue(): unknown;
    save(bytes: Buffer, type: 'buffer'): Promise<void>;
  }
  const Fetch: { AssetCache: typeof AssetCache };
  export default Fetch;
}
