/** Size of an SVG, read from its `viewBox` or else `width` and `height`, without rendering it. */
function svgSize(text: string): { width: number; height: number } | undefined {
  const [tag = ''] = /<svg\b[^>]*>/.exec(text) ?? [];
  const box = /\bviewBox\s*=\s*["']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(tag);
  const width = Number(box?.[1] ?? /\swidth\s*=\s*["']([\d.]+)/.exec(tag)?.[1]);
  const height = Number(box?.[2] ?? /\sheight\s*=\s*["']([\d.]+)/.exec(tag)?.[1]);
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** Size in pixels of a picture file of ours, such as a logo; undefined where it cannot be read. */
export async function pictureSize(
  bytes: Buffer,
  extension: string,
): Promise<{ width: number; height: number } | undefined> {
  if (extension.toLowerCase() === '.svg') return svgSize(bytes.toString('utf8'));
  // Imported on demand: loading libvips takes 50 ms, and most sites have no such file or know its size.
  const { default: sharp } = await import('sharp');
  const header = await sharp(bytes)
    .metadata()
    .catch(() => undefined);
  return header && { width: header.autoOrient.width, height: header.autoOrient.height };
}
