// A component's function runs again with each new payload; what it drew is kept for as long as its element is there.

import { unlessLeaving } from "./leaving.js";

// `create(parentElement)` makes a view with show(data, component) and perhaps destroy().
//
// Where two payloads come at once, Streamlit cleans up after the first although its element stays on the page. So only
// an element that is gone ends its view: else a picture would be built anew under the pointer that drags in it.
export function keptView(create) {
  const views = new WeakMap();
  return (component) => {
    const { data: [data], parentElement } = component;
    if (!views.has(parentElement)) views.set(parentElement, create(parentElement));
    const view = views.get(parentElement);
    view.show(data, { ...component, ...telling(component, parentElement) });
    return () => {
      if (parentElement.isConnected) return;
      view.destroy?.();
      views.delete(parentElement);
    };
  };
}

function telling({ setTriggerValue, setStateValue }, parentElement) {
  const patient = (tell) => tell && unlessLeaving(tell, () => parentElement.isConnected);
  return { setTriggerValue: patient(setTriggerValue), setStateValue: patient(setStateValue) };
}
