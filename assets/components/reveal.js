// When something else is shown than before, it gets the focus or is scrolled into view.

import { lessMotion } from "../kit/dom.js";
import { keptView } from "../kit/views.js";

export default keptView(() => {
  let known;
  function show({ shown, selector, focus }) {
    const first = known === undefined;
    const other = shown !== known && shown !== null;
    known = shown;
    const element = !first && other && document.querySelector(selector);
    if (!element) return;
    if (!focus) element.scrollIntoView({ block: "nearest", behavior: lessMotion() ? "instant" : "smooth" });
    else if (!document.activeElement?.closest("button")) { // what is pressed again stays at hand
      element.tabIndex = -1;
      element.focus();
    }
  }
  return { show };
});
