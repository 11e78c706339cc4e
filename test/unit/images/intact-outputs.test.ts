import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fingerprintOf, timeOf } from '../../../src/images/fingerprint.ts';
import { OutputNames } from '../../../src/images/output-names.ts';
import { putOutput } from '../../../src/images/stores/folder.ts';
import {
  intactOutputs,
  outputsIn,
  removeGarbage,
} from '../../../src/images/stores/intact-outputs.ts';
import { KnownPictures } from '../../../src/record/known-pictures.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let root: string;
beforeEach(() => {
  root = tempFolder();
});

const END = '-320-aaaaaa.webp';
const OTHER = '-640-bbbbbb.jpg';
const store = () => path.join(root, 'files');
const hashOf = (shard: string, picture: number) => shard + String(picture).padStart(18, '0');
const nameOf = (shard: string, picture: number, end = END) =>
  `${shard}/${String(picture).padStart(18, '0')}${end}`;
const fileOf = (name: string) => path.join(store(), name);
// Larger than the first read buffer.
const bytes = Buffer.from('as it was made'.repeat(20_000));
const fingerprint = fingerprintOf(bytes);
const NAMES = [nameOf('0a', 1), nameOf('0a', 1, OTHER), nameOf('ff', 2)];
const put = (...names: string[]) =>
  Promise.all(names.map((name) => putOutput(store(), name, bytes, fingerprint)));

function knownOf(outputs = { [END]: fingerprint, [OTHER]: fingerprint }): KnownPictures {
  const known = new KnownPictures();
  known.adopt('1', {
    sources: [],
    contents: [
      [hashOf('0a', 1), 4, 3, '808080', outputs],
      [hashOf('ff', 2), 4, 3, '808080', { [END]: fingerprint }],
    ],
  });
  return known;
}
const site = () => path.join(root, 'site');
const inspect = async (known = knownOf()) => {
  const found = await intactOutputs({ folder: store(), published: site(), known });
  return { ...found, outputs: [...found.outputs].sort(), published: [...found.published].sort() };
};
const intact = async (known = knownOf()) => (await inspect(known)).outputs;
/** Removes a file and makes another entry of its name. */
const replace = (file: string, put: (file: string) => unknown) => {
  rmSync(file);
  put(file);
};

it('timeOf is derived from the first 32 bits of the hash', () => {
  for (let number = 0; number < 100; number++) {
    const fingerprint = fingerprintOf(Buffer.from(`${number}`));
    const bits = Buffer.from(fingerprint.split('-').slice(1).join('-'), 'base64url');
    expect(timeOf(fingerprint)).toBe(978_307_200 + 2 * (bits.readUInt32BE(0) % 236_649_600));
  }
});

describe('outputs', () => {
  it('are unchanged if size and time match, without reading them', async () => {
    await put(...NAMES);
    const [first = ''] = NAMES;
    expect(statSync(fileOf(first)).mtimeMs).toBe(timeOf(fingerprint) * 1000);
    // This is undetectable: an attacker who can reset the time of a file can write anything here.
    writeFileSync(fileOf(first), 'as it was fake'.repeat(20_000));
    utimesSync(fileOf(first), timeOf(fingerprint), timeOf(fingerprint));
    expect(await intact()).toEqual(NAMES);
  });

  it('need not be on this disk if the published site has them', async () => {
    await put(...NAMES);
    const [there = '', here = '', other = ''] = NAMES;
    for (const name of [there, other]) rmSync(fileOf(name));
    const published = new OutputNames([there]);
    const found = await intactOutputs({ folder: store(), published, known: knownOf() });
    expect([...found.outputs].sort()).toEqual([there, here].sort());
    expect([...found.published]).toEqual([there]);
    expect(found.isIncomplete).toBe(true);
  });

  it('with another time are read and get their time again', async () => {
    await put(...NAMES);
    for (const name of NAMES) utimesSync(fileOf(name), 1_700_000_001, 1_700_000_001);
    expect(await intact()).toEqual(NAMES);
    for (const name of NAMES) {
      expect(statSync(fileOf(name)).mtimeMs).toBe(timeOf(fingerprint) * 1000);
    }
  });

  it.each<[string, (file: string) => unknown]>([
    ['was cut', (file) => writeFileSync(file, '')],
    ['has other bytes of the same size', (file) => writeFileSync(file, 'as it was fake')],
    ['is a folder', (file) => replace(file, mkdirSync)],
    [
      'is a link to an intact file',
      (file) => {
        renameSync(file, `${file}-there`);
        symlinkSync(`${file}-there`, file);
      },
    ],
  ])('one that %s is removed', async (_, damage) => {
    await put(...NAMES);
    const [first = '', ...others] = NAMES;
    damage(fileOf(first));
    expect(await intact()).toEqual(others);
    expect(existsSync(fileOf(first))).toBe(false);
  });

  it('without stored state do not count', async () => {
    await put(...NAMES, nameOf('0a', 9));
    expect(await intact(knownOf({ [OTHER]: fingerprint } as never))).toEqual(NAMES.slice(1));
  });

  it('of another configuration are valid and recorded with its values', async () => {
    await put(...NAMES);
    const otherBytes = Buffer.from('made by others');
    const [first = ''] = NAMES;
    await putOutput(store(), first, otherBytes, fingerprintOf(otherBytes));
    const known = knownOf();
    expect(await intact(known)).toEqual(NAMES);
    expect(known.contents.get(hashOf('0a', 1))?.outputs[END]).toBe(fingerprintOf(otherBytes));
    expect(readFileSync(fileOf(first))).toEqual(otherBytes);
  });

  it('without a record are found by their bytes if they are intact', async () => {
    await put(...NAMES);
    expect(outputsIn(store(), hashOf('0a', 1))).toEqual({
      [END]: fingerprint,
      [OTHER]: fingerprint,
    });
    writeFileSync(fileOf(NAMES[1] ?? ''), 'as it was fake');
    writeFileSync(`${fileOf(NAMES[0] ?? '')}.1a2b-0.tmp`, bytes);
    symlinkSync(fileOf(NAMES[0] ?? ''), fileOf(nameOf('0a', 1, '-96-cccccc.webp')));
    expect(outputsIn(store(), hashOf('0a', 1))).toEqual({ [END]: fingerprint });
    expect(outputsIn(store(), hashOf('0b', 1))).toEqual({});
  });

  it('are never read through a link in place of a folder', async () => {
    await put(...NAMES);
    renameSync(fileOf('0a'), path.join(root, 'elsewhere'));
    symlinkSync(path.join(root, 'elsewhere'), fileOf('0a'));
    expect(await intact()).toEqual(NAMES.slice(2));
    expect(existsSync(fileOf('0a'))).toBe(false);
    expect(existsSync(path.join(root, 'elsewhere', path.basename(NAMES[0] ?? '')))).toBe(true);
  });
});

describe('outputs of the published site', () => {
  const shown = (name: string) => path.join(site(), name);
  /** All outputs, on the site and in the folder: one file with two names. */
  async function publish(): Promise<void> {
    await put(...NAMES);
    for (const name of NAMES) {
      mkdirSync(path.dirname(shown(name)), { recursive: true });
      linkSync(fileOf(name), shown(name));
    }
  }
  const [first = '', ...others] = NAMES;

  it('are not searched in the folder', async () => {
    await publish();
    expect(await inspect()).toEqual({ outputs: NAMES, published: NAMES, isIncomplete: false });
    rmSync(store(), { recursive: true });
    expect(await inspect()).toEqual({ outputs: NAMES, published: NAMES, isIncomplete: false });
  });

  it.each<[string, () => void]>([
    ['gone', () => rmSync(shown(first))],
    ['another file', () => replace(shown(first), (file) => writeFileSync(file, 'as it was fake'))],
    ['a link', () => replace(shown(first), (file) => symlinkSync(fileOf(first), file))],
  ])('are used if one is %s', async (_, change) => {
    await publish();
    change();
    expect(await inspect()).toEqual({ outputs: NAMES, published: others, isIncomplete: false });
    rmSync(fileOf(first));
    expect(await inspect()).toEqual({ outputs: others, published: others, isIncomplete: true });
  });

  it('altered under both of their names are neither published nor kept', async () => {
    await publish();
    writeFileSync(shown(first), 'as it was fake');
    expect(await inspect()).toEqual({ outputs: others, published: others, isIncomplete: true });
    expect(existsSync(fileOf(first))).toBe(false);
  });

  it('with another time under both names get their time again', async () => {
    await publish();
    utimesSync(shown(first), 1, 1);
    expect(await inspect()).toEqual({ outputs: NAMES, published: NAMES, isIncomplete: false });
  });
});

describe('removeGarbage', () => {
  const remove = (
    planned: readonly string[],
    usedByOthers: () => Promise<OutputNames | undefined> = async () => new OutputNames(),
    before = Date.now() + 60_000,
  ) => removeGarbage(store(), { planned: new OutputNames(planned), usedByOthers, before });
  const existing = () => NAMES.filter((name) => existsSync(fileOf(name)));

  it('removes outputs that are neither planned nor used by others', async () => {
    await put(...NAMES);
    // Social cards of pictures with and without outputs. They are not counted.
    const cards = [2, 3].map((picture) => fileOf(nameOf('ff', picture, '-abcdefghij.card')));
    for (const card of cards) writeFileSync(card, '');
    expect(await remove(NAMES.slice(2), async () => new OutputNames(NAMES.slice(1, 2)))).toBe(1);
    expect(existing()).toEqual(NAMES.slice(1));
    expect(cards.map((card) => existsSync(card))).toEqual([true, false]);
  });

  it('removes nothing if the outputs of others are unknown', async () => {
    await put(...NAMES);
    expect(await remove([], async () => undefined)).toBe(0);
    expect(existing()).toEqual(NAMES);
  });

  it('does not read the outputs of others if all are planned', async () => {
    await put(...NAMES);
    const ask = () => expect.fail('it asked');
    expect(await remove(NAMES, ask)).toBe(0);
  });

  it('removes files of killed runs, but neither new files nor unrelated ones', async () => {
    await put(...NAMES);
    const left = fileOf(`${NAMES[0]}.1a2b-0.tmp`);
    const notes = fileOf('0a/notes.txt');
    for (const file of [left, notes]) writeFileSync(file, '');
    symlinkSync('/etc/passwd', fileOf(nameOf('0a', 3)));
    await remove(NAMES, undefined, Date.now() - 60_000);
    expect(existsSync(left)).toBe(true);
    await remove(NAMES);
    expect([left, notes].map((file) => existsSync(file))).toEqual([false, true]);
    expect(() => statSync(fileOf(nameOf('0a', 3)))).toThrow(/ENOENT/);
    expect(existing()).toEqual(NAMES);
  });
});
