/** Embed snippets and URLs, each with the URL of our iframe or none. */

export interface EmbedCase {
  name: string;
  /** `hostedVideoEmbedHtml`. */
  html?: string;
  /** `hostedVideoUrl`. */
  url?: string;
  /** URL on the page. Undefined: the player page is linked. */
  becomes: string | undefined;
}

export const ID = 'dQw4w9WgXcQ';
export const OURS = `https://www.youtube-nocookie.com/embed/${ID}`;
export const frame = (src: string, more = '') => `<iframe src="${src}"${more}></iframe>`;

/** Honest addresses, so that a rule that refuses everything fails. */
const HONEST: [address: string, becomes: string][] = [
  [`https://www.youtube.com/embed/${ID}`, OURS],
  [`https://youtube.com/embed/${ID}`, OURS],
  [`https://www.youtube-nocookie.com/embed/${ID}`, OURS],
  [`https://www.youtube.com/embed/${ID}?rel=0&start=12&utm=x`, `${OURS}?start=12&rel=0`],
  [`https://www.youtube.com/embed/${ID}?end=9&cc_load_policy=1`, `${OURS}?end=9&cc_load_policy=1`],
  // Parameters of another form are removed.
  [`https://www.youtube.com/embed/${ID}?start=javascript:1&rel=00&end=1234567`, OURS],
  [`//www.youtube.com/embed/${ID}`, OURS],
  [`HTTPS://www.youtube.com:443/embed/${ID}`, OURS],
  [`  https://www.youtube.com/embed/${ID}\n`, OURS],
  ['https://player.vimeo.com/video/123', 'https://player.vimeo.com/video/123?dnt=1'],
  [
    'https://player.vimeo.com/video/123?h=0a1b2c3d&dnt=0&autopause=0',
    'https://player.vimeo.com/video/123?h=0a1b2c3d&dnt=1',
  ],
  ['https://player.vimeo.com/video/1?h=x0a1b2c3d', 'https://player.vimeo.com/video/1?dnt=1'],
  [
    'https://fast.wistia.com/embed/iframe/abc123?videoFoam=true',
    'https://fast.wistia.net/embed/iframe/abc123',
  ],
  ['https://view.vzaar.com/987/player', 'https://view.vzaar.com/987/player'],
  ['https://iframe.dacast.com/vod/own-er/vid?x=1', 'https://iframe.dacast.com/vod/own-er/vid'],
  ['https://iframe.dacast.com/live/ab/cd', 'https://iframe.dacast.com/live/ab/cd'],
];

const WRONG_ADDRESSES: [name: string, address: string][] = [
  ['plain http', `http://www.youtube.com/embed/${ID}`],
  ['another port', `https://www.youtube.com:8443/embed/${ID}`],
  ['port of http', `https://www.youtube.com:80/embed/${ID}`],
  ['user name', `https://www.youtube.com@evil.example/embed/${ID}`],
  ['user name at the right host', `https://user@www.youtube.com/embed/${ID}`],
  ['password at the right host', `https://:b@www.youtube.com/embed/${ID}`],
  ['host as prefix', `https://www.youtube.com.evil.example/embed/${ID}`],
  ['host as suffix', `https://evilyoutube.com/embed/${ID}`],
  ['sub-domain', `https://x.www.youtube.com/embed/${ID}`],
  ['dot at the end of the host', `https://www.youtube.com./embed/${ID}`],
  ['backslashes', `https:\\\\www.youtube.com\\embed\\${ID}`],
  ['backslash before the host', `https://evil.example\\@www.youtube.com/embed/${ID}`],
  ['tab in the scheme', `ht\ttps://www.youtube.com/embed/${ID}`],
  ['line break in the host', `https://www.you\ntube.com/embed/${ID}`],
  ['NUL', `https://www.youtube.com/embed/${ID}\0`],
  ['space inside', `https://www.youtube.com/embed/${ID} onload=alert(1)`],
  ['no slashes', `https:www.youtube.com/embed/${ID}`],
  ['one slash', `https:/www.youtube.com/embed/${ID}`],
  ['too many slashes', `https:////www.youtube.com/embed/${ID}`],
  ['letters before the scheme', `xhttps://www.youtube.com/embed/${ID}`],
  ['javascript', 'javascript:alert(document.domain)//www.youtube.com/embed/x'],
  ['javascript with entities', 'java&#115;cript:alert(1)'],
  ['data', 'data:text/html,<script>alert(1)</script>'],
  ['blob', `blob:https://www.youtube.com/${ID}`],
  ['file', 'file:///etc/passwd'],
  ['look-alike letters', `https://www.уoutube.com/embed/${ID}`],
  ['punycode look-alike', `https://www.xn--outube-m2e.com/embed/${ID}`],
  ['a redirect page of the right host', `https://www.youtube.com/redirect?q=https://evil.example`],
  ['another page of the right host', `https://www.youtube.com/watch?v=${ID}`],
  ['path before', `https://www.youtube.com/x/embed/${ID}`],
  ['path after', `https://www.youtube.com/embed/${ID}/../../redirect`],
  ['path climbing', `https://www.youtube.com/embed/${ID}/..`],
  ['identifier too short', 'https://www.youtube.com/embed/short'],
  ['identifier with a quote', `https://www.youtube.com/embed/dQw4w9WgX"Q`],
  ['identifier with an encoded quote', 'https://www.youtube.com/embed/dQw4w9%22gXcQ'],
  ['a list, which is not a video', 'https://www.youtube.com/embed/videoseries?list=PL1'],
  ['a channel, which is not a video', 'https://www.youtube.com/embed/live_stream?channel=UC1'],
  ['loopback', `http://127.0.0.1:8701/hosted/embed/hv0000000001`],
  ['empty', ''],
  ['relative', `/embed/${ID}`],
  ['endless', `https://www.youtube.com/embed/${ID}?${'a'.repeat(10_000)}`],
  ['Vimeo without a number', 'https://player.vimeo.com/video/12x'],
  ['Vimeo with a path before', 'https://player.vimeo.com/x/video/12'],
  ['Dacast of an unknown kind', 'https://iframe.dacast.com/admin/a/b'],
  ['Dacast with a path after', 'https://iframe.dacast.com/vod/ab/cd/ef'],
  ['Dacast with a path before', 'https://iframe.dacast.com/x/vod/ab/cd'],
  ['Wistia script', 'https://fast.wistia.net/embed/medias/abc123def4.jsonp'],
  ['Wistia with a path after', 'https://fast.wistia.net/embed/iframe/abc123/x'],
  ['Wistia with a path before', 'https://fast.wistia.net/x/embed/iframe/abc123'],
  ['Vzaar without a number', 'https://view.vzaar.com/abc/player'],
  ['Vzaar with a path after', 'https://view.vzaar.com/123/player/x'],
  ['Vzaar with a path before', 'https://view.vzaar.com/x/123/player'],
];

const good = frame(`https://www.youtube.com/embed/${ID}`);
const MARKUP: [name: string, html: string, becomes?: string][] = [
  ['upper-case markup', `<IFRAME SRC='https://www.youtube.com/embed/${ID}'>`, OURS],
  [
    'entities',
    frame(`https&#58;//www.youtube.com/embed/${ID}?rel=0&amp;start=1`),
    `${OURS}?start=1&rel=0`,
  ],
  ['other elements before the frame', `<p><a href="x">y</a>${good}`, OURS],
  [
    'handlers beside a good address are left behind',
    frame(`https://www.youtube.com/embed/${ID}`, ' onload="alert(1)" srcdoc="<script></script>"'),
    OURS,
  ],
  ['script and no frame', '<script src="https://evil.example/x.js"></script>'],
  ['only the first frame counts', `${frame('https://evil.example/')}${good}`],
  ['a first frame without an address', `<iframe></iframe>${good}`],
  [
    'only the first of two addresses counts',
    `<iframe src="https://evil.example/" src="https://www.youtube.com/embed/${ID}">`,
  ],
  ['a frame in a comment', `<!-- ${good} -->`],
  ['address in another attribute', `<iframe data-src="https://www.youtube.com/embed/${ID}">`],
  ['markup in srcdoc', '<iframe srcdoc="<script>alert(1)</script>">'],
  ['an object', `<object data="https://www.youtube.com/embed/${ID}"></object>`],
  ['nothing', ''],
  ['never closed', '<iframe src="https://www.youtube.com/embed/'],
  ['a frame behind too much text', `${' '.repeat(30_000)}${good}`],
];

export const EMBEDS: EmbedCase[] = [
  ...HONEST.map(([url, becomes]) => ({ name: url, url, becomes })),
  ...WRONG_ADDRESSES.map(([name, url]) => ({ name: `address: ${name}`, url, becomes: undefined })),
  ...[...HONEST, ...WRONG_ADDRESSES.map(([, address]) => [address, undefined] as const)].map(
    ([address, becomes]) => ({ name: `snippet: ${address}`, html: frame(address), becomes }),
  ),
  ...MARKUP.map(([name, html, becomes]) => ({ name, html, becomes })),
];
