/** The URLs of a list, newest first. Removes `url` if set, or adds it if `isIn`. */
export function storedUrls(key, url, isIn) {
  let urls = [];
  try {
    urls = JSON.parse(localStorage[key] ?? '[]');
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
