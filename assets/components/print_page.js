// Prints the page.

export default function (component) {
  component.parentElement.querySelector("button").onclick = () => window.print();
}
