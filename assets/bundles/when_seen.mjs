// pages/ui/components/when_seen.js
var MARGIN = "300px";
function when_seen_default(component) {
  const { parentElement, setTriggerValue } = component;
  const place = parentElement.querySelector(".place");
  if (place.watcher) return;
  place.watcher = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    place.watcher.disconnect();
    setTriggerValue("seen", true);
  }, { rootMargin: MARGIN });
  place.watcher.observe(place);
}
export {
  when_seen_default as default
};
