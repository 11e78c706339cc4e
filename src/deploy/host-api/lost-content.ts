import type { SiteFile } from '../../change-set/change-set.ts';
import { GateError } from '../../errors.ts';

/** The host asks for files whose bytes exist neither on this disk nor on the live site. */
export class LostContent extends GateError {
  readonly files: readonly SiteFile[];

  constructor(files: readonly SiteFile[]) {
    const [first] = files;
    const others = files.length > 1 ? ` and of ${files.length - 1} more` : '';
    super({
      code: 'deploy-content-lost',
      what: `The host asks for the content of ${first?.path}${others}, which is neither on this disk nor on the live site.`,
      why: 'The host no longer has files of earlier deploys. The live site is unchanged.',
      fix: 'Build again with --whole, and deploy that.',
    });
    this.files = files;
  }
}
