// When the class is frozen, nothing else on the page can be used, neither by the pointer nor by keys.

import { latest } from "../kit/views.js";

export default latest((component) => {
  const { parentElement, data } = component;
  const [{ frozen }] = data;
  const dialog = parentElement.querySelector("dialog");
  dialog.oncancel = (event) => event.preventDefault();
  if (frozen && !dialog.open) dialog.showModal();
  if (!frozen && dialog.open) dialog.close();
  window.addEventListener("keydown", swallow, true);
  return () => window.removeEventListener("keydown", swallow, true);

  // Shortcuts of the page do not hear a key while the dialog is open; those of the browser stay.
  function swallow(event) {
    if (!dialog.open) return;
    event.stopImmediatePropagation();
    if (event.key === "Escape") event.preventDefault();
  }
});
