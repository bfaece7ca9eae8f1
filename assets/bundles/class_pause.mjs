// assets/kit/views.js
function latest(show) {
  return (component) => {
    let end = null;
    const soon = setTimeout(() => {
      end = show(component);
    });
    return () => {
      clearTimeout(soon);
      end?.();
    };
  };
}

// pages/ui/components/class_pause.js
var class_pause_default = latest((component) => {
  const { parentElement, data } = component;
  const [{ frozen }] = data;
  const dialog = parentElement.querySelector("dialog");
  dialog.oncancel = (event) => event.preventDefault();
  if (frozen && !dialog.open) dialog.showModal();
  if (!frozen && dialog.open) dialog.close();
  window.addEventListener("keydown", swallow, true);
  return () => window.removeEventListener("keydown", swallow, true);
  function swallow(event) {
    if (!dialog.open) return;
    event.stopImmediatePropagation();
    if (event.key === "Escape") event.preventDefault();
  }
});
export {
  class_pause_default as default
};
