/* The page with the lines for other websites: fills in the plate, and shows what the lines show there. */
import { copy } from './share/copy.js';

const root = document.querySelector('.snippets');
const { plate, plates, embeds } = root.dataset;
const field = root.querySelector('[name=vrm]');
const ground = root.querySelector('.ground');
const areas = [...root.querySelectorAll('textarea')];

let timer;
let shown;
function show() {
  const text = field.value.trim() || plate;
  // In place of a plate, the address of a vehicle's page.
  const [, slug] = /^http.*\/([\w-]+)\/?$/.exec(text) ?? [];
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
    if (shown !== areas[0].value) ground.innerHTML = shown = areas[0].value;
  }, 300);
}

root.addEventListener('input', show);
for (const area of areas) {
  const button = area.nextElementSibling;
  button.onclick = () => copy(button, area.value);
}
// The newest vehicle, until another one is typed.
fetch(plates)
  .then((answer) => answer.json())
  .then((known) => {
    field.value ||= Object.keys(known.plates)[0] ?? '';
    show();
  });
