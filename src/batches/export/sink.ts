import { createHash } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { AppError } from '../../errors.ts';

/** Where an export goes. A promise means: wait for it before writing more. */
export interface Sink {
  write(chunk: string | Uint8Array): Promise<void> | undefined;
}

const BUFFER = 256 * 1024;

/** Characters gathered before a write to a stream: few, so that they die young. */
const STREAM_BUFFER = 16 * 1024;

function writeFully(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

/** A new file that only its owner can read (0600); never an existing one, never through a link. */
export class FileSink implements Sink {
  private readonly hash = createHash('sha256');
  private readonly fd: number;
  // Text is encoded row by row: buffered strings would survive garbage collections and pile up.
  private readonly buffer = Buffer.allocUnsafe(BUFFER);
  private used = 0;
  private open = true;

  constructor(file: string) {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    this.fd = openSync(file, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), 0o600);
  }

  write(chunk: string | Uint8Array): undefined {
    // A UTF-16 unit takes at most three bytes.
    const most = typeof chunk === 'string' ? chunk.length * 3 : chunk.length;
    if (this.used + most > this.buffer.length) this.flush();
    if (most > this.buffer.length) {
      this.put(typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk);
    } else if (typeof chunk === 'string') {
      this.used += this.buffer.write(chunk, this.used, 'utf8');
    } else {
      this.buffer.set(chunk, this.used);
      this.used += chunk.length;
    }
  }

  private flush(): void {
    if (this.used > 0) this.put(this.buffer.subarray(0, this.used));
    this.used = 0;
  }

  private put(bytes: Uint8Array): void {
    this.hash.update(bytes);
    writeFully(this.fd, bytes);
  }

  /** Everything is on the disk after this. @returns the SHA-256 of the file. */
  finish(): string {
    this.flush();
    fsyncSync(this.fd);
    this.close();
    return this.hash.digest('hex');
  }

  close(): void {
    if (this.open) closeSync(this.fd);
    this.open = false;
  }
}

/** Standard output, with its own pace: nothing piles up in memory before a slow reader. */
export class StreamSink implements Sink {
  private failure: Error | undefined;
  private readonly stream: Writable;
  private pending = '';

  constructor(stream: Writable) {
    this.stream = stream;
    stream.on('error', (error) => {
      this.failure = error;
    });
  }

  write(chunk: string | Uint8Array): Promise<void> | undefined {
    if (typeof chunk === 'string') {
      this.pending += chunk;
      return this.pending.length >= STREAM_BUFFER ? this.flush() : undefined;
    }
    return this.flush().then(() => this.put(chunk));
  }

  private flush(): Promise<void> {
    const text = this.pending;
    this.pending = '';
    return text === '' ? Promise.resolve() : this.put(text);
  }

  private async put(chunk: string | Uint8Array): Promise<void> {
    this.check();
    if (!this.stream.write(chunk)) await this.room();
    this.check();
  }

  /** Resolves when the reader has taken what was written, or has closed its end. */
  private room(): Promise<void> {
    const { stream } = this;
    return new Promise((resolve) => {
      const done = () => {
        for (const event of ['drain', 'close', 'error']) stream.off(event, done);
        resolve();
      };
      for (const event of ['drain', 'close', 'error']) stream.on(event, done);
      if (stream.destroyed) done();
    });
  }

  /** Everything was taken by the reader, or by the system for it, after this. */
  async finish(): Promise<void> {
    await this.flush();
    await new Promise<void>((resolve) => this.stream.write('', () => resolve()));
    this.check();
  }

  private check(): void {
    if (!this.failure) return;
    throw new AppError({
      code: 'export-reader-gone',
      what: 'The reader of standard output went away before the export was complete.',
      why: 'The program behind the pipe ended early.',
      fix: 'Run the export again: what was not complete does not count as exported.',
      cause: this.failure,
    });
  }
}
