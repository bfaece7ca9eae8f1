// A component's function runs again with each new payload; what it drew is kept for as long as its element is there.

// `create(parentElement)` makes a view with show(data, component) and perhaps destroy().
export function keptView(create) {
  const views = new WeakMap();
  return (component) => {
    const { data: [data], parentElement } = component;
    if (!views.has(parentElement)) views.set(parentElement, create(parentElement));
    const view = views.get(parentElement);
    view.show(data, component);
    return () => {
      view.destroy?.();
      views.delete(parentElement);
    };
  };
}
