import { FILES } from './files.ts';
import { HOSTS } from './hosts.ts';
import { MACHINE } from './machine.ts';
import { OPENED } from './opened.ts';
import { PICTURES } from './pictures.ts';
import { SERVICE } from './service.ts';

/**
 * The words for what the doctor finds: in this folder, and nowhere else. Codes are never renamed:
 * scripts match on them.
 */
export const PROSE = {
  ...MACHINE,
  ...FILES,
  ...OPENED,
  ...SERVICE,
  ...PICTURES,
  ...HOSTS,
} as const;
