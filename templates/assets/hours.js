// Shows whether the dealer is open now, in the dealer's time zone. Without this script, the table shows the hours.
for (const place of document.querySelectorAll('[data-hours]')) {
  const { zone, lang, week, days } = JSON.parse(place.dataset.hours);
  const zoned = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const [today, time] = zoned.format(new Date()).split(' ');
  const [hours, minutes] = time.split(':').map(Number);
  const now = hours * 60 + minutes;
  const midnight = Date.parse(`${today}T00:00:00Z`);
  const dateOf = (ahead) => new Date(midnight + ahead * 86_400_000);
  const dayOf = (ahead) => dateOf(ahead).toISOString().slice(0, 10);
  const timesOf = (ahead) => days[dayOf(ahead)] ?? week[(dateOf(ahead).getUTCDay() + 6) % 7];
  const format = (options, at) =>
    new Intl.DateTimeFormat(lang, { ...options, timeZone: 'UTC' }).format(at);
  const clock = (at) => format({ hour: 'numeric', minute: '2-digit' }, at * 60_000);
  const show = (text, values) => {
    place.textContent = text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    place.hidden = false;
  };
  const open = timesOf(0).find(([from, to]) => from <= now && now < to);
  place.classList.toggle('open', open !== undefined);
  if (open) show(place.dataset.open, { time: clock(open[1]) });
  else {
    let next;
    for (let ahead = 0; ahead < 8 && !next; ahead++) {
      const opening = timesOf(ahead).find(([from]) => ahead > 0 || from > now);
      if (opening) next = { ahead, from: opening[0] };
    }
    const day = next?.ahead ? format({ weekday: 'long' }, dateOf(next.ahead)) : '';
    if (next) show(place.dataset.opens, { day, time: clock(next.from) });
    else show(place.dataset.closed, {});
  }
  // Shows only the exceptions of the next four weeks.
  const last = dayOf(28);
  for (const row of place.parentElement.querySelectorAll('[data-day]')) {
    row.hidden = row.dataset.day < today || row.dataset.day > last;
  }
}
