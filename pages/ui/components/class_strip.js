// A student's seat in a class outlives a reload; and when the class is frozen, nothing else on the page can be used.

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const [{ code, seat, frozen }] = data;
  const name = `class-seat:${code}`;
  const kept = window.sessionStorage.getItem(name);
  if (!kept) window.sessionStorage.setItem(name, seat);
  else if (kept !== seat && parentElement.told !== kept) {
    parentElement.told = kept;
    setTriggerValue("seat", kept);
  }
  const dialog = parentElement.querySelector("dialog");
  dialog.oncancel = (event) => event.preventDefault();
  dialog.onkeydown = (event) => { if (event.key === "Escape") event.preventDefault(); };
  if (frozen && !dialog.open) dialog.showModal();
  if (!frozen && dialog.open) dialog.close();
}
