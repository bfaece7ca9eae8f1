// assets/train/stream.js
function boxOf(name) {
  const boxes = window.trainMail ??= /* @__PURE__ */ new Map();
  if (!boxes.has(name)) boxes.set(name, { waiting: [], reader: null });
  return boxes.get(name);
}
function post(name, payload) {
  const box = boxOf(name);
  if (box.reader) box.reader(payload);
  else box.waiting = [...box.waiting.slice(-9), payload];
}

// assets/train/news.js
function news_default({ data: [payload] }) {
  post(payload.mail, payload);
}
export {
  news_default as default
};
