// pages/ui/components/when_visible.js
var MARGIN = "300px";
function when_visible_default(component) {
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
export {
  when_visible_default as default
};
