// Copies the address of the view.

export default function (component) {
  const button = component.parentElement.querySelector("button");
  const text = button.querySelector("span");
  button.onclick = async () => {
    const link = window.location.href;
    try {
      await navigator.clipboard.writeText(link);
      text.textContent = "Link copied";
      button.classList.add("copied");
    } catch {
      window.prompt("Copy this link:", link);
    }
    setTimeout(() => {
      text.textContent = "Copy link";
      button.classList.remove("copied");
    }, 2000);
  };
}
