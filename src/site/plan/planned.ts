import { hash } from 'node:crypto';
import type { SocialCard } from '../../images/card/card.ts';
import type { GeneratedFile, PageView } from '../views/view.ts';

/** A file that should be published. */
export interface Planned {
  /** Path below the output folder, beginning with a slash. */
  file: string;
  /** Hash of all input. The same key means the same bytes. */
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
  content(): string | Uint8Array | SocialCard;
}

/** A file whose content is known. */
export const plannedFile = ({ file, content }: GeneratedFile): PlannedFile => ({
  file,
  key: keyOf(typeof content === 'string' ? content : Buffer.from(content).toString('base64')),
  content: () => content,
});

/** Pages and files that are made from the same views. */
export interface PlanPart {
  pages: readonly PlannedPage[];
  files: readonly PlannedFile[];
  /** The files that belong to custom pages. */
  custom?: ReadonlySet<PlannedFile>;
  /** Frees views to save memory. They are made again on the next use. */
  release(): void;
}

/**
 * A key: 132 bits of SHA-256 of the parts as JSON. The parts are plain data. Undefined values count as
 * absent.
 */
export function keyOf(...parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}
