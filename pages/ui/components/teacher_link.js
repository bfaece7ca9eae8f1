// The link for teachers, written anew whenever it is asked for.

export default function (component) {
  const { parentElement, data } = component;
  const input = parentElement.querySelector("input");
  const said = parentElement.querySelector("button span");
  const write = () => { input.value = link(data); };
  write();
  input.onfocus = () => { write(); input.select(); };
  parentElement.querySelector("button").onclick = async () => {
    write();
    try {
      await navigator.clipboard.writeText(input.value);
      said.textContent = "Copied";
      setTimeout(() => { said.textContent = "Copy"; }, 2000);
    } catch {
      input.focus();  // it is selected: the keyboard copies it
    }
  };
}

// The address as it is at this moment: lessons change it without drawing this again.
function link({ lesson, hide, preset }) {
  const here = window.location;
  const now = new URLSearchParams(here.search);
  const query = new URLSearchParams({ lesson });
  if (hide) query.set("hide", hide);
  for (const [name, value] of preset ? now : []) {
    if (!["lesson", "done", "hide"].includes(name)) query.set(name, value);
  }
  return `${here.origin}${here.pathname}?${query.toString().replaceAll("%2C", ",")}`;
}
