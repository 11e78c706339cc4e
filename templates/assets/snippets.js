/* The page with embed codes: fills in the plate, and shows a preview. */
import { copy } from './share/copy.js';

const root = document.querySelector('.snippets');
const { plate, plates, embeds, none } = root.dataset;
const field = root.querySelector('[name=vrm]');
const ground = root.querySelector('.ground');
const status = root.querySelector('[role=status]');
const areas = [...root.querySelectorAll('textarea')];

/** Lines with an unknown plate cannot be copied. */
function report(isUnknown) {
  status.textContent = isUnknown ? none : '';
  for (const area of areas) {
    area.nextElementSibling.disabled = isUnknown && area.value !== area.defaultValue;
  }
}

let timer;
let shownText;
function show() {
  const text = field.value.trim() || plate;
  // Also accepts the URL of a vehicle's page instead of a plate.
  const [, slug] = /^http[^?#]*\/([\w-]+)\/?([?#].*)?$/.exec(text) ?? [];
  const theme = root.querySelector('[name=theme]:checked').value;
  const name = (slug ?? text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt()};`);
  for (const area of areas) {
    let lines = area.defaultValue;
    if (slug) {
      lines = lines
        .replace(/dealer=.*vrm="[^"]*/, `src="${embeds}${slug}/`)
        .replace(/find\/#vrm=[^"]*/, `${slug}/`);
    }
    if (theme) lines = lines.replace('<vehicle-media', `$& theme="${theme}"`);
    area.value = lines
      .replace(encodeURIComponent(plate), () => encodeURIComponent(text))
      .replace(plate, () => name);
  }
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (shownText === areas[0].value) return;
    report(false);
    ground.innerHTML = shownText = areas[0].value;
  }, 300);
}

root.addEventListener('input', show);
ground.addEventListener('vehicle-media-gone', () => report(true));
for (const area of areas) {
  const button = area.nextElementSibling;
  button.onclick = () => copy(button, area.value);
}
// Starts with the newest vehicle.
fetch(plates)
  .then((response) => response.json())
  .then((index) => {
    field.value ||= Object.keys(index.plates)[0] ?? '';
    show();
  });
