/** Embed snippets and addresses, each with the address that our own iframe gets, or none. */

export interface EmbedCase {
  name: string;
  /** `hostedVideoEmbedHtml`. */
  html?: string;
  /** `hostedVideoUrl`. */
  url?: string;
  /** Address that is written into the page; undefined: the player page is linked. */
  becomes: string | undefined;
}

const ID = 'dQw4w9WgXcQ';
const OURS = `https://www.youtube-nocookie.com/embed/${ID}`;
const frame = (src: string, more = '') => `<iframe src="${src}"${more}></iframe>`;

/** Honest snippets, so that a rule that refuses everything fails. */
const HONEST: EmbedCase[] = [
  { name: 'YouTube', html: frame(`https://www.youtube.com/embed/${ID}`), becomes: OURS },
  {
    name: 'YouTube with parameters that we know',
    html: frame(`https://www.youtube.com/embed/${ID}?rel=0&amp;start=12`),
    becomes: `${OURS}?start=12&rel=0`,
  },
  {
    name: 'a parameter that nobody knows is dropped, not a reason to lose the video',
    html: frame(`https://www.youtube.com/embed/${ID}?si=AbC&feature=oembed&evil=1`),
    becomes: OURS,
  },
  {
    name: 'a known parameter of an unknown form is dropped',
    html: frame(`https://www.youtube.com/embed/${ID}?start=javascript:1&rel=00`),
    becomes: OURS,
  },
  { name: 'no scheme', html: frame(`//www.youtube.com/embed/${ID}`), becomes: OURS },
  {
    name: 'default port written out',
    html: frame(`https://www.youtube.com:443/embed/${ID}`),
    becomes: OURS,
  },
  {
    name: 'white space around',
    html: frame(`  https://www.youtube.com/embed/${ID}\n`),
    becomes: OURS,
  },
  {
    name: 'upper-case markup',
    html: `<IFRAME SRC='https://www.youtube.com/embed/${ID}'>`,
    becomes: OURS,
  },
  { name: 'entities', html: frame(`https&#58;//www.youtube.com/embed/${ID}`), becomes: OURS },
  {
    name: 'Vimeo keeps its key and is told not to track',
    html: frame('https://player.vimeo.com/video/12345?h=0a1b2c3d&dnt=0&autopause=0'),
    becomes: 'https://player.vimeo.com/video/12345?h=0a1b2c3d&dnt=1',
  },
  {
    name: 'Wistia',
    html: frame('https://fast.wistia.com/embed/iframe/abc123def4?videoFoam=true'),
    becomes: 'https://fast.wistia.net/embed/iframe/abc123def4',
  },
  {
    name: 'Vzaar',
    html: frame('https://view.vzaar.com/987/player'),
    becomes: 'https://view.vzaar.com/987/player',
  },
  {
    name: 'Dacast',
    url: 'https://iframe.dacast.com/vod/own-er/vid-eo?x=1',
    becomes: 'https://iframe.dacast.com/vod/own-er/vid-eo',
  },
  {
    name: 'the hosted address where the snippet has no frame',
    html: '<p>video</p>',
    url: `https://youtube.com/embed/${ID}`,
    becomes: OURS,
  },
];

const WRONG_ADDRESSES: [name: string, address: string][] = [
  ['plain http', `http://www.youtube.com/embed/${ID}`],
  ['another port', `https://www.youtube.com:8443/embed/${ID}`],
  ['port of http', `https://www.youtube.com:80/embed/${ID}`],
  ['user name', `https://www.youtube.com@evil.example/embed/${ID}`],
  ['user name at the right host', `https://user@www.youtube.com/embed/${ID}`],
  ['user name and password', `https://a:b@www.youtube.com/embed/${ID}`],
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
  ['too many slashes', `https:////www.youtube.com/embed/${ID}`],
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
  ['a list, which is no video', 'https://www.youtube.com/embed/videoseries?list=PL1'],
  ['a channel, which is no video', 'https://www.youtube.com/embed/live_stream?channel=UC1'],
  ['loopback', `http://127.0.0.1:8701/hosted/embed/hv0000000001`],
  ['empty', ''],
  ['relative', `/embed/${ID}`],
  ['endless', `https://www.youtube.com/embed/${ID}?${'a'.repeat(10_000)}`],
  ['Vimeo without a number', 'https://player.vimeo.com/video/abc'],
  ['Dacast of an unknown kind', 'https://iframe.dacast.com/admin/a/b'],
  ['Wistia script', 'https://fast.wistia.net/embed/medias/abc123def4.jsonp'],
];

const WRONG_MARKUP: EmbedCase[] = [
  {
    name: 'script and no frame',
    html: '<script src="https://evil.example/x.js"></script>',
    becomes: undefined,
  },
  {
    name: 'only the first frame counts',
    html: `${frame('https://evil.example/')}${frame(`https://www.youtube.com/embed/${ID}`)}`,
    becomes: undefined,
  },
  {
    name: 'only the first of two addresses counts',
    html: `<iframe src="https://evil.example/" src="https://www.youtube.com/embed/${ID}">`,
    becomes: undefined,
  },
  {
    name: 'a frame in a comment',
    html: `<!-- ${frame(`https://www.youtube.com/embed/${ID}`)} -->`,
    becomes: undefined,
  },
  {
    name: 'address in another attribute',
    html: `<iframe data-src="https://www.youtube.com/embed/${ID}">`,
    becomes: undefined,
  },
  {
    name: 'markup in srcdoc',
    html: '<iframe srcdoc="<script>alert(1)</script>">',
    becomes: undefined,
  },
  {
    name: 'an object',
    html: `<object data="https://www.youtube.com/embed/${ID}"></object>`,
    becomes: undefined,
  },
  { name: 'nothing', html: '', becomes: undefined },
  { name: 'never closed', html: '<iframe src="https://www.youtube.com/embed/', becomes: undefined },
  {
    name: 'a frame behind too much text',
    html: `${' '.repeat(30_000)}${frame(`https://www.youtube.com/embed/${ID}`)}`,
    becomes: undefined,
  },
  {
    name: 'handlers beside a good address are left behind',
    html: frame(
      `https://www.youtube.com/embed/${ID}`,
      ' onload="alert(1)" srcdoc="<script>alert(1)</script>"',
    ),
    becomes: OURS,
  },
];

export const EMBEDS: EmbedCase[] = [
  ...HONEST,
  ...WRONG_ADDRESSES.map(([name, address]) => ({
    name: `snippet: ${name}`,
    html: frame(address),
    becomes: undefined,
  })),
  ...WRONG_ADDRESSES.map(([name, url]) => ({ name: `address: ${name}`, url, becomes: undefined })),
  ...WRONG_MARKUP,
];
