// pages/ui/components/teacher_link.js
function teacher_link_default(component) {
  const { parentElement, data } = component;
  const input = parentElement.querySelector("input");
  const said = parentElement.querySelector("button span");
  const preview = parentElement.querySelector("iframe");
  const write = () => {
    input.value = link(data);
  };
  const seen = () => {
    const address = link({ ...data, room: "", class: "" });
    if (preview.src !== address) preview.src = address;
  };
  write();
  seen();
  input.onfocus = () => {
    write();
    input.select();
  };
  parentElement.querySelector("button").onclick = async () => {
    write();
    seen();
    try {
      await navigator.clipboard.writeText(input.value);
      said.textContent = "Copied";
      setTimeout(() => {
        said.textContent = "Copy";
      }, 2e3);
    } catch {
      input.focus();
    }
  };
}
function link({ lesson, hide, preset, room, class: code }) {
  const here = window.location;
  const now = new URLSearchParams(here.search);
  const query = new URLSearchParams({ lesson });
  if (hide) query.set("hide", hide);
  for (const [name, value] of preset ? now : []) {
    if (!["lesson", "done", "hide", "class"].includes(name)) query.set(name, value);
  }
  if (code) query.set("class", code);
  const origin = room && ["localhost", "127.0.0.1", "[::1]"].includes(here.hostname) ? room : here.origin;
  return `${origin}${here.pathname}?${query.toString().replaceAll("%2C", ",")}`;
}
export {
  teacher_link_default as default
};
