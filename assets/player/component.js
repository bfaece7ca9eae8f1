// The player as a Streamlit component. The function runs again with each new payload; the player is kept per element.

const players = new WeakMap();

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const { trace, ...options } = data;
  const host = parentElement.querySelector(".player-host");
  let entry = players.get(parentElement);
  if (!entry) {
    entry = { callbacks: {} };
    entry.player = createPlayer(host, entry.callbacks);
    players.set(parentElement, entry);
  }
  entry.callbacks.step = options.reports ? (frame) => setTriggerValue("step", frame) : null;
  entry.callbacks.explain = options.explains ? (node) => setTriggerValue("explain", node) : null;
  entry.callbacks.take = (action) => setTriggerValue("take", action);
  entry.player.show({ trace, options });
  return () => {
    entry.player.destroy();
    players.delete(parentElement);
  };
}
