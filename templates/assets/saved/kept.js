const home = document
  .querySelector('.hearts')
  ?.getAttribute('href')
  .replace(/[^/]+\/$/, '');
/** The URL of a vehicle in the language of this page. */
const translated = (url) => (home ? home + url.split('/').slice(-3).join('/') : url);

/** The URLs of a list, newest first. Removes `url` if set, or adds it if `isIn`. */
export function storedUrls(key, url, isIn) {
  let urls = [];
  try {
    urls = [...new Set(JSON.parse(localStorage[key] ?? '[]').map(translated))];
    if (url) {
      urls = urls.filter((item) => item !== url);
      if (isIn) urls.unshift(url);
      localStorage[key] = JSON.stringify(urls.slice(0, 24));
    }
  } catch {
    // Some browsers have no storage.
  }
  return urls;
}
