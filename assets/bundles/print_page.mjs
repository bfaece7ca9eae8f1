// pages/ui/components/print_page.js
function print_page_default(component) {
  component.parentElement.querySelector("button").onclick = () => window.print();
}
export {
  print_page_default as default
};
