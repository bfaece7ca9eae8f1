// When the class is frozen, nothing else on the page can be used.

export default function (component) {
  const { parentElement, data } = component;
  const [{ frozen }] = data;
  const dialog = parentElement.querySelector("dialog");
  dialog.oncancel = (event) => event.preventDefault();
  dialog.onkeydown = (event) => { if (event.key === "Escape") event.preventDefault(); };
  if (frozen && !dialog.open) dialog.showModal();
  if (!frozen && dialog.open) dialog.close();
}
