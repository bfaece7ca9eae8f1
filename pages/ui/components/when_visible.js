// Tells once that its place is near the window: what is expensive and far down is drawn only then.

const MARGIN = "300px";

export default function (component) {
  const { parentElement, setTriggerValue } = component;
  const place = parentElement.querySelector(".place");
  if (place.watcher) return;
  place.watcher = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    place.watcher.disconnect();
    setTriggerValue("visible", true);
  }, { rootMargin: MARGIN });
  place.watcher.observe(place);
}
