import { hash } from 'node:crypto';
import type { PageView } from '../views/view.ts';

/** Something that should be published. */
export interface Planned {
  /** Path below the output folder, beginning with a slash. */
  file: string;
  /** Hash of everything that it is made from: the same key is the same bytes. */
  key: string;
}

/** A page that a template renders. */
export interface PlannedPage extends Planned {
  /** Name of the template. */
  layout: string;
  view(): PageView;
}

/** A file that no template renders. */
export interface PlannedFile extends Planned {
  content(): string | Uint8Array;
}

/** Pages and files that are made from the same things, and so are best made together. */
export interface PlanPart {
  pages: readonly PlannedPage[];
  files: readonly PlannedFile[];
  /** Forgets views that were made; they are made again if they are asked for. */
  release(): void;
}

/**
 * A key: 132 bits of SHA-256 of the parts as JSON. The parts are plain data; what is undefined
 * counts as absent.
 */
export function keyOf(...parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}
