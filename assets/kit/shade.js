// What stands in a part of a page moves into a shadow tree of that part, which has looks of its own.

import kit from "./kit.css";

const LOOKS = [":host { display: block; }", kit];

export function shaded(part, ...styles) {
  const root = part.attachShadow({ mode: "open" });
  root.append(...part.childNodes);
  root.adoptedStyleSheets = [...LOOKS, ...styles].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  return root;
}
