// pages/ui/components/class_pause.js
function class_pause_default(component) {
  const { parentElement, data } = component;
  const [{ frozen }] = data;
  const dialog = parentElement.querySelector("dialog");
  dialog.oncancel = (event) => event.preventDefault();
  dialog.onkeydown = (event) => {
    if (event.key === "Escape") event.preventDefault();
  };
  if (frozen && !dialog.open) dialog.showModal();
  if (!frozen && dialog.open) dialog.close();
}
export {
  class_pause_default as default
};
