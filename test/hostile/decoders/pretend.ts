/** Fake decoder process for tests of the pool. The bytes of a picture select its behaviour. */
import { execSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EncodeRequest } from '../../../src/images/encode/protocol.ts';

const say = (reply: unknown) => process.send?.(reply);

const attempt = (act: () => unknown): string => {
  try {
    act();
    return 'done';
  } catch (error) {
    return (error as { code?: string }).code ?? 'failed';
  }
};

process.on('message', ({ id, hash, file, folder }: EncodeRequest) => {
  const order = readFileSync(file, 'utf8');
  const good = {
    id,
    ok: true,
    content: { hash, width: 4, height: 3 },
    colour: 'aabbcc',
    newOutputs: [],
  };
  const behaviours: Record<string, () => unknown> = {
    crash: () => process.abort(),
    exit: () => process.exit(1),
    hang: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
    late: () => setTimeout(() => say(good), 4000),
    'machine fault': () => {
      process.stderr.write('::add-mask::x\n\u001b[31mno room on the disk\n');
      setTimeout(() => process.exit(70), 50);
    },
    'lie about the id': () => say({ ...good, id: id + 1000 }),
    'lie about the hash': () =>
      say({ ...good, content: { ...good.content, hash: '0'.repeat(20) } }),
    'climb in the hash': () =>
      say({ ...good, content: { ...good.content, hash: '../../../../etc/pass' } }),
    'climb in a name': () =>
      say({ ...good, newOutputs: [{ name: '../../../../tmp/evil', bytes: 1 }] }),
    'markup as colour': () => say({ ...good, colour: '"><script>alert(1)</script>' }),
    'no size': () => say({ ...good, content: { ...good.content, width: Number.NaN } }),
    'say nonsense': () => say('nonsense'),
    'say null': () => say(null),
    'say a code of its own': () => say({ id, ok: false, code: '__proto__', message: 'x' }),
    'say very much': () =>
      say({ id, ok: false, code: 'picture-format', message: 'x'.repeat(100_000) }),
    'look round': () => {
      const found = [
        `environment ${Object.keys(process.env).sort().join()}`,
        `passwd ${attempt(() => readFileSync('/etc/passwd'))}`,
        `own folder ${attempt(() => readFileSync(path.join(process.cwd(), 'package-lock.json')))}`,
        `write ${attempt(() => writeFileSync(path.join(tmpdir(), 'evil'), 'x'))}`,
        `store ${attempt(() => writeFileSync(path.join(folder, 'x'), 'x'))}`,
        `link ${attempt(() => symlinkSync('/etc/passwd', path.join(folder, 'link')))}`,
        `program ${attempt(() => execSync('id'))}`,
      ];
      say({ id, ok: false, code: 'picture-format', message: found.join('; ') });
    },
  };
  (behaviours[order] ?? (() => say(good)))();
});
process.on('disconnect', () => process.exit(0));

say('ready');
