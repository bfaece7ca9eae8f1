// One small box that explains whatever is pointed at or focused.

function createTip(root) {
  const element = el("div", { class: "tip", role: "tooltip", hidden: true });
  function show(target, text) {
    setText(element, text);
    element.hidden = false;
    const frame = root.getBoundingClientRect();
    const box = target.getBoundingClientRect();
    const [width, height] = [element.offsetWidth, element.offsetHeight];
    const left = box.left + box.width / 2 - frame.left - width / 2;
    const above = box.top - frame.top - height - 8;
    element.style.left = `${Math.min(Math.max(left, 4), Math.max(frame.width - width - 4, 4))}px`;
    element.style.top = `${above >= 0 ? above : box.bottom - frame.top + 8}px`;
  }
  const hide = () => (element.hidden = true);
  return { element, show, hide };
}
