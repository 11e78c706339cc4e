import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { enginesOf } from '../../src/config/engines.ts';
import { HttpClient } from '../../src/lib/http/http.ts';
import { S3Client } from '../../src/lib/s3/client.ts';
import { freePort } from './server.ts';

const run = promisify(execFile);

declare module 'vitest' {
  interface ProvidedContext {
    ceph: { origin: string; key: { id: string; secret: string } };
  }
}

const PROGRAMS = ['ceph', 'ceph-mon', 'ceph-osd', 'ceph-authtool', 'radosgw', 'radosgw-admin'];

async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await check().catch(() => false)) return;
    await sleep(200);
  }
  throw new Error(`${what} did not happen within 60 s.`);
}

const confText = (folder: string, monitor: string) => `[global]
fsid = ${randomUUID()}
mon host = ${monitor}
mon initial members = a
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
keyring = ${folder}/admin.keyring
mon data = ${folder}/mon
osd data = ${folder}/osd
run dir = ${folder}
admin socket =
log file = ${folder}/$name.log
mon allow pool size one = true
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 1073741824
osd memory target = 939524096
`;

/**
 * Starts a real S3 service on this machine: Ceph's radosgw with a monitor and a store in memory. It takes
 * about 20 s, so all test files share one.
 */
export default async function setup(project: TestProject) {
  const missing = PROGRAMS.filter((name) => spawnSync(name, ['--version']).error);
  if (missing.length > 0) {
    throw new Error(
      `${missing.join(', ')} are not installed, and these tests run against a real S3 service. Install it (Debian: apt-get install ceph-mon ceph-osd radosgw) and run them again.`,
    );
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'ceph-'));
  const children: ChildProcess[] = [];
  const dispose = async () => {
    for (const child of children.reverse()) child.kill('SIGKILL');
    await sleep(200);
    await rm(folder, { recursive: true, force: true });
  };
  const conf = path.join(folder, 'ceph.conf');
  const ceph = (...options: string[]) => run('ceph', ['-c', conf, ...options]);
  const daemon = (name: string, options: string[]) =>
    children.push(spawn(name, ['-f', '-c', conf, ...options], { stdio: 'ignore' }));
  try {
    const [v2, v1, s3] = await Promise.all([freePort(), freePort(), freePort()]);
    const monitor = `[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`;
    await writeFile(conf, confText(folder, monitor));
    const keyring = (file: string) => path.join(folder, file);
    const all = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *'];
    const make = ['--create-keyring', '--gen-key', '-n'];
    await run('ceph-authtool', [keyring('admin.keyring'), ...make, 'client.admin', ...all]);
    await run('ceph-authtool', [
      keyring('mon.keyring'),
      ...make,
      'mon.',
      '--cap',
      'mon',
      'allow *',
    ]);
    const both = ['--import-keyring', keyring('admin.keyring')];
    await run('ceph-authtool', [keyring('mon.keyring'), ...both]);
    const mkfs = ['-c', conf, '--mkfs', '-i', 'a', '--keyring', keyring('mon.keyring')];
    await run('ceph-mon', [...mkfs, '--public-addrv', monitor]);
    daemon('ceph-mon', ['-i', 'a', '--public-addrv', monitor]);
    await until('The monitor', async () => Boolean(await ceph('--connect-timeout', '2', 'fsid')));

    const osd = randomUUID();
    await mkdir(keyring('osd'));
    await run('ceph-authtool', [keyring('osd/keyring'), ...make, 'osd.0']);
    const secret = /key = (\S+)/.exec(await readFile(keyring('osd/keyring'), 'utf8'))?.[1];
    await writeFile(keyring('osd.json'), JSON.stringify({ cephx_secret: secret }));
    await ceph('osd', 'new', osd, '-i', keyring('osd.json'));
    const zero = ['-i', '0', '--keyring', keyring('osd/keyring')];
    await run('ceph-osd', ['-c', conf, ...zero, '--mkfs', '--osd-uuid', osd]);
    daemon('ceph-osd', zero);
    const rgw = ['mon', 'allow rwx', 'osd', 'allow rwx', '-o', keyring('rgw.keyring')];
    await ceph('auth', 'get-or-create', 'client.rgw', ...rgw);
    await until('The store', async () => (await ceph('osd', 'stat')).stdout.includes('1 up'));

    // By default, it waits 40 ms before the second packet of a response (Nagle's algorithm).
    const frontend = `--rgw-frontends=beast endpoint=127.0.0.1:${s3} tcp_nodelay=1`;
    const as = ['-n', 'client.rgw', '--keyring', keyring('rgw.keyring')];
    daemon('radosgw', [...as, frontend]);
    const origin = `http://127.0.0.1:${s3}`;
    await until('The S3 service', async () => (await fetch(origin)).ok);
    const key = { id: randomBytes(10).toString('hex'), secret: randomBytes(20).toString('hex') };
    await run('radosgw-admin', [
      ...['-c', conf, 'user', 'create', '--uid', 'test', '--display-name', 'test'],
      ...['--access-key', key.id, '--secret-key', key.secret],
    ]);
    project.provide('ceph', { origin, key });
    return dispose;
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Reads and writes all objects of the bucket or folder in `STORE_URL`. */
export function openBucket(env: Readonly<Record<string, string>>) {
  const { store } = enginesOf(env);
  if (!store) throw new Error('no store');
  const { url, accessKeyId, ...keys } = store;
  const { origin, pathname } = new URL(url);
  const [bucket = '', ...folder] = pathname.split('/').filter(Boolean);
  const http = new HttpClient({
    name: 'The bucket',
    code: 'bucket',
    fix: 'Look.',
    later: 'Wait.',
    longestWait: 1000,
    pause: () => 100,
    stalled: 30_000,
    connections: 16,
  });
  const client = new S3Client({
    ...keys,
    bucket: `${origin}/${bucket}`,
    folder: folder.join('/'),
    accessKeyId: accessKeyId.reveal(),
    http,
  });
  return {
    client,
    names: async (prefix = '') => {
      const names: string[] = [];
      for await (const { key } of client.list(prefix)) names.push(key);
      return names.sort();
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

/** The Ceph of this run. Each test file uses separate buckets. */
export function openCeph() {
  const { origin, key } = inject('ceph');
  return {
    origin,
    /** Variables of a build for a separate bucket. */
    bucket: async (name: string, at = origin): Promise<Record<string, string>> => {
      const keys = { AWS_ACCESS_KEY_ID: key.id, AWS_SECRET_ACCESS_KEY: key.secret };
      // Creating a bucket is like creating an object without a name.
      await using store = openBucket({ STORE_URL: `${origin}/${name}`, ...keys });
      await store.client.put('', new Uint8Array());
      return { STORE_URL: `${at}/${name}/site`, ...keys };
    },
  };
}
