import { spawnSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OUTPUTS } from '../runners/outputs.ts';

/** Version of the installed Hugo. Undefined without a Hugo that writes WebP. */
export function hugoVersion(): string | undefined {
  const { stdout } = spawnSync('hugo', ['version'], { encoding: 'utf8' });
  return /^hugo v(\S+)/.exec(stdout ?? '')?.[1];
}

/** A Hugo site with one page that creates the same outputs of every picture in a folder. */
export async function hugoSite(folder: string, photos: string): Promise<void> {
  await mkdir(path.join(folder, 'layouts'), { recursive: true });
  await cp(photos, path.join(folder, 'assets', 'photos'), { recursive: true });
  await writeFile(
    path.join(folder, 'config.toml'),
    'baseURL = "https://bench.example/"\ndisableKinds = ["taxonomy", "term", "RSS", "sitemap"]\n',
  );
  const webp = OUTPUTS.widths.map(
    (width) =>
      `{{ if ge .Width ${width} }}{{ (.Resize "${width}x webp q${OUTPUTS.webp.quality}").RelPermalink }}{{ end }}`,
  );
  const { width, quality } = OUTPUTS.jpeg;
  await writeFile(
    path.join(folder, 'layouts', 'index.html'),
    `{{ range resources.Match "photos/*.jpg" }}${webp.join('')}{{ if ge .Width ${width} }}{{ (.Resize "${width}x jpg q${quality}").RelPermalink }}{{ end }}{{ end }}\n`,
  );
}
