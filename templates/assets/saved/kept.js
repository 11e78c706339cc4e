/** The addresses of a list, newest first. With `url`, that address is removed, or added if `isIn`. */
export function kept(key, url, isIn) {
  let all = [];
  try {
    all = JSON.parse(localStorage[key] ?? '[]');
    if (url) {
      all = all.filter((one) => one !== url);
      if (isIn) all.unshift(url);
      localStorage[key] = JSON.stringify(all.slice(0, 24));
    }
  } catch {
    // There are browsers that keep nothing.
  }
  return all;
}
