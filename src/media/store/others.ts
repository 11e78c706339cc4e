import type { KnownPictures } from '../../record/known-pictures.ts';
import { OutputNames } from './output-names.ts';

/** What other records of a disk say of bytes; undefined where one of them cannot be read. */
export type Elsewhere = () => Iterable<Pick<KnownPictures, 'contents'>> | undefined;

/** What others know of bytes, read when it is first asked for. */
export function openOthers(elsewhere: Elsewhere = () => []) {
  const read = () => {
    const theirs = elsewhere();
    if (!theirs) return undefined;
    const all = [...theirs];
    const names = new OutputNames();
    for (const { contents } of all) {
      for (const [hash, { outputs }] of contents) names.addPictures(Object.keys(outputs), [hash]);
    }
    return {
      all,
      names,
      of: (hash: string) => all.flatMap(({ contents }) => contents.get(hash) ?? []),
    };
  };
  let known: { read: ReturnType<typeof read> } | undefined;
  return ({ anew = false } = {}) => {
    if (!known || anew) known = { read: read() };
    return known.read;
  };
}
