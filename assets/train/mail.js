// News of a training reach its views through a small component of their own. What the server sends carries the whole
// script of its component each time: so the views are sent once, and what is new comes with a few lines.

function boxOf(name) {
  const boxes = (window.trainMail ??= new Map());
  if (!boxes.has(name)) boxes.set(name, { waiting: [], reader: null });
  return boxes.get(name);
}

export function post(name, payload) {
  const box = boxOf(name);
  if (box.reader) box.reader(payload);
  else box.waiting = [...box.waiting.slice(-9), payload]; // what is lost is noticed and asked for again
}

// Hears of what waits and of all that comes, until what is returned is called.
export function collect(name, reader) {
  const box = boxOf(name);
  box.reader = reader;
  for (const payload of box.waiting.splice(0)) reader(payload);
  return () => {
    if (box.reader === reader) box.reader = null;
  };
}
