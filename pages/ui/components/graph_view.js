// The small graph as a component of its own. It runs again with each new payload; the picture is kept.

const views = new WeakMap();

export default function (component) {
  const { data: [data], parentElement, setTriggerValue } = component;
  let view = views.get(parentElement);
  if (!view) {
    const act = {};
    view = { act, pane: createGraphPane(act) };
    parentElement.querySelector(".graph-view").replaceChildren(view.pane.element);
    views.set(parentElement, view);
  }
  view.act.node = (node) => setTriggerValue("node", data.nodes[node].id);
  view.act.edge = (a, b) => setTriggerValue("edge", [data.nodes[a].id, data.nodes[b].id]);
  view.pane.show(data);
  return () => {
    view.pane.destroy();
    views.delete(parentElement);
  };
}
