/**
 * The same vehicles as a Hugo site: one complete content file per vehicle, so Hugo computes no URLs or texts,
 * and templates for the same pages: vehicle page, embed page, media.json, oembed.json, and a paginated list
 * per dealer. Hugo does not write the feeds, sitemaps, search indices and checks of our build.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Common parts of a kind of page, extracted from a rendered page. */
interface Cut {
  /** From the start of a page to its `<title>`. */
  head: string;
  galleryStart: string;
  /** Between stage and strip. */
  controls: string;
  icons: string;
}

const between = (text: string, start: string, end: string): string => {
  const from = text.indexOf(start);
  const to = text.indexOf(end, from + start.length);
  if (from < 0 || to < 0) throw new Error(`No ${start} … ${end} in the page`);
  return text.slice(from, to);
};

function cut(page: string): Cut {
  return {
    head: page.slice(0, page.indexOf('<title>')),
    galleryStart: between(page, '<section class="gallery"', ' aria-label="Photos'),
    controls: between(page, '<div class="controls">', '<ol class="strip"'),
    icons: between(page, '<svg class="icons"', '\n</body>'),
  };
}

const SIZES = '(min-width: 80rem) 54rem, (min-width: 60rem) 62vw, 100vw';

const GALLERY = ({ galleryStart, controls }: Cut, shot: string): string =>
  `${galleryStart} aria-label="Photos and videos of {{ .Params.name }}" data-position="{n} of {total}" data-viewer="Full-screen viewer" data-close="Close" data-zoom="Zoom" data-allow="accelerometer; autoplay; clipboard-write; encrypted-media; gyroscope; picture-in-picture; web-share">
<div class="frame r-4x3">
<ol class="stage">
{{ range $i, $p := .Params.pictures }}<li id="{{ add $i 1 }}" class="slide {{ $p.class }}"><a class="shot" href="{{ $p.full }}"${shot}><picture><source type="image/webp" srcset="{{ $p.srcset | safeHTMLAttr }}" sizes="{{ if $i }}auto, {{ end }}${SIZES}"><img src="{{ $p.src }}" width="{{ $p.width }}" height="{{ $p.height }}" alt="{{ $p.alt }}"{{ if $i }} loading="lazy"{{ else }} fetchpriority="high"{{ end }} decoding="async">
</picture></a></li>
{{ end }}</ol>
${controls}<ol class="strip" aria-label="Choose a photo">
{{ range $i, $p := .Params.pictures }}<li><a href="#{{ add $i 1 }}" aria-label="Show photo {{ add $i 1 }}"{{ if not $i }} aria-current="true"{{ end }}><img class="{{ $p.class }}" src="{{ $p.thumb }}" width="96" height="72" alt="" loading="lazy" decoding="async"></a></li>
{{ end }}</ol>
</section>`;

const STYLE = '<link rel="stylesheet" href="/assets/site.css?v=2c29e438b7">';

/** Composes a page from the parts that differ between kinds of pages. */
const document = ({ head, icons }: Cut, meta: string, main: string, attributes = ''): string =>
  `${head}<title>{{ .Title }}</title>
${meta}
</head>
<body${attributes}>
${main}
${icons}
</body>
</html>
`;

function vehicleLayout(parts: Cut): string {
  return document(
    parts,
    `<meta name="description" content="{{ .Params.description }}">
<link rel="canonical" href="{{ .Params.url }}">
<link rel="alternate" type="application/json+oembed" href="{{ .Params.url }}oembed.json" title="{{ .Params.name }}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Bench">
<meta property="og:locale" content="en_GB">
<meta property="og:title" content="{{ .Title }}">
<meta property="og:description" content="{{ .Params.description }}">
<meta property="og:url" content="{{ .Params.url }}">
<meta property="og:image" content="{{ .Params.share }}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="{{ .Params.name }}">
<meta name="twitter:card" content="summary_large_image">
<meta name="color-scheme" content="light dark">
${STYLE}
<script defer src="/assets/gallery.js?v=e5705358da"></script>
<script defer src="/assets/share.js?v=b3983407eb"></script>
<script type="application/ld+json">{{ .Params.jsonLd | safeJS }}</script>`,
    `<a class="skip" href="#content">Skip to content</a>
<header class="masthead"><a href="{{ .Params.dealerUrl }}"><span>{{ .Params.dealer }}</span></a></header>
<main id="content">
<div class="vehicle">
${GALLERY(parts, '')}
<div class="about">
<h1>{{ .Params.name }}</h1>
<dl class="facts">
<div><dt>Number plate</dt><dd class="plate">{{ .Params.name }}</dd></div>
</dl>
<p class="actions">
<button type="button" class="button share" data-share="{{ .Params.url }}" data-title="{{ .Params.name }}" data-copied="Copied" data-copy="Copy link"><svg aria-hidden="true"><use href="#i-share"/></svg><span>Share</span></button></p>
<p class="quiet"><time datetime="{{ .Params.updated }}">{{ .Params.updatedText }}</time></p>
<p class="back"><a href="{{ .Params.dealerUrl }}">All vehicles of {{ .Params.dealer }}</a></p>
</div>
</div>
<details class="snippet"><summary>Show this on your website</summary>
<p>Copy these lines into a page of your website. The gallery follows all changes.</p>
<textarea readonly rows="4" spellcheck="false" aria-label="Lines to copy">{{ .Params.snippet }}</textarea>
<p><button type="button" class="button copy" data-copied="Copied"><span>Copy</span></button></p>
</details>
</main>`,
  );
}

function embedLayout(parts: Cut): string {
  return document(
    parts,
    `<meta name="description" content="{{ .Params.description }}">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
${STYLE}
<script defer src="/assets/gallery.js?v=e5705358da"></script>
<script defer src="/assets/frame.js?v=087e08ec5c"></script>`,
    `<main id="content">
<h1 class="hidden">{{ .Params.name }}</h1>
${GALLERY(parts, ' target="_blank" rel="noopener"')}
<p class="source"><a href="{{ .Params.url }}" target="_blank" rel="noopener"><span class="plate">{{ .Params.name }}</span> <span>{{ .Params.dealer }}</span></a></p>
</main>`,
    ' class="embed" data-page="{{ .Params.url }}"',
  );
}

function listLayout(parts: Cut): string {
  return document(
    parts,
    STYLE,
    `<main id="content">
<div class="heading"><h1>{{ .Title }}</h1>
<p class="quiet">{{ len .Pages }} vehicles</p></div>
<ul class="cards">
{{ $paginator := .Paginate .Pages 24 }}{{ range $paginator.Pages }}{{ with index .Params.pictures 0 }}{{ $cover := . }}<li class="card"><a href="{{ $cover.page }}"><img class="{{ $cover.class }}" src="{{ $cover.thumb }}" srcset="{{ $cover.srcset | safeHTMLAttr }}" width="640" height="480" alt="" loading="lazy" decoding="async">{{ end }}<span class="line"><span class="name plate">{{ .Params.name }}</span></span><span class="facts"><span>{{ len .Params.pictures }} pictures</span><time datetime="{{ .Params.updated }}">{{ .Params.updatedText }}</time></span></a></li>
{{ end }}</ul>
<nav class="pages">{{ range $paginator.Pagers }}<a href="{{ .URL }}">{{ .PageNumber }}</a>{{ end }}</nav>
</main>`,
  );
}

const CONFIG = {
  baseURL: 'https://bench.example/',
  title: 'Bench',
  disableKinds: ['taxonomy', 'term', 'RSS', 'sitemap', 'robotsTXT', '404', 'home'],
  mediaTypes: { 'application/json': { suffixes: ['json'] } },
  outputFormats: {
    embed: { mediaType: 'text/html', path: 'embed', baseName: 'index', isHTML: true },
    media: { mediaType: 'application/json', baseName: 'media', isPlainText: true },
    oembed: { mediaType: 'application/json', baseName: 'oembed', isPlainText: true },
  },
  outputs: { page: ['HTML', 'embed', 'media', 'oembed'], section: ['HTML'] },
};

interface MediaJson {
  name: string;
  url: string;
  updated: string;
  dealer: { name: string; slug: string; url: string };
  media: {
    alt: string;
    src: string;
    width: number;
    height: number;
    full: string;
    sources: { files: { url: string; width: number }[] }[];
  }[];
}

/** Writes the content file of a vehicle from its published page. */
async function writeVehicle(site: string, folder: string, dealer: string, slug: string) {
  const text = await readFile(path.join(site, dealer, slug, 'media.json'), 'utf8');
  const media: MediaJson = JSON.parse(text);
  const oembed = await readFile(path.join(site, dealer, slug, 'oembed.json'), 'utf8');
  const page = await readFile(path.join(site, dealer, slug, 'index.html'), 'utf8');
  const local = (url: string) => new URL(url).pathname;
  const of = (pattern: RegExp) => pattern.exec(page)?.[1] ?? '';
  const matter = {
    title: of(/<title>([^<]*)/),
    name: media.name,
    description: of(/name="description" content="([^"]*)/),
    url_: media.url,
    dealer: media.dealer.name,
    dealerUrl: local(media.dealer.url),
    updated: media.updated,
    updatedText: of(/<time datetime="[^"]*">([^<]*)/),
    share: of(/og:image" content="([^"]*)/),
    jsonLd: of(/ld\+json">(.*?)<\/script>/),
    snippet: of(/<textarea[^>]*>([^<]*)/)
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"'),
    mediaJson: text,
    oembedJson: oembed,
    pictures: media.media.map(({ alt, src, width, height, full, sources: [source] }) => ({
      alt,
      src: local(src),
      width,
      height,
      full,
      class: 'c999',
      page: local(media.url),
      srcset: source?.files.map((file) => `${local(file.url)} ${file.width}w`).join(', '),
      thumb: local(source?.files[0]?.url ?? src),
    })),
  };
  await writeFile(
    path.join(folder, 'content', dealer, `${slug}.md`),
    `${JSON.stringify(matter, null, 1)}\n`,
  );
}

/**
 * Creates a Hugo site from a site of this program.
 *
 * @param site published folder of this program.
 * @param folder target folder of the Hugo site.
 * @param vehicles slugs by dealer.
 */
export async function writeHugoSite(
  site: string,
  folder: string,
  vehicles: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const layouts = path.join(folder, 'layouts', '_default');
  await mkdir(layouts, { recursive: true });
  const [[dealer, [slug = ''] = []] = ['']] = [...vehicles];
  const page = await readFile(path.join(site, dealer, slug, 'index.html'), 'utf8');
  const parts = cut(page);
  // `url` in front matter would move the page.
  const named = (text: string) => text.replaceAll('.Params.url }}', '.Params.url_ }}');
  await writeFile(path.join(folder, 'config.json'), JSON.stringify(CONFIG, null, 1));
  await writeFile(path.join(layouts, 'single.html'), named(vehicleLayout(parts)));
  await writeFile(path.join(layouts, 'single.embed.html'), named(embedLayout(parts)));
  await writeFile(path.join(layouts, 'single.media.json'), '{{ .Params.mediaJson | safeJS }}');
  await writeFile(path.join(layouts, 'single.oembed.json'), '{{ .Params.oembedJson | safeJS }}');
  await writeFile(path.join(layouts, 'list.html'), listLayout(parts));
  for (const [name, slugs] of vehicles) {
    const content = path.join(folder, 'content', name);
    await mkdir(content, { recursive: true });
    await writeFile(path.join(content, '_index.md'), `${JSON.stringify({ title: name })}\n`);
    for (const vehicle of slugs) await writeVehicle(site, folder, name, vehicle);
  }
}
