// Views that are kept while their element is on the page, and reports that wait for their answers.

import { el } from "../../assets/kit/dom.js";
import { keptView } from "../../assets/kit/views.js";
import { equal, run, soon, test } from "./harness.js";

// A clock that stands still until it is moved: what a component was made at and what happened next may have one time,
// and nothing is over before it should be, however busy the computer is.
let now = 1000;
performance.now = () => now;

function watched() {
  const told = [];
  const call = keptView(() => ({ show: (data) => told.push(data), destroy: () => told.push("end") }));
  const parentElement = el("div");
  document.body.append(parentElement);
  return { told, parentElement, show: (data) => call({ data: [data], parentElement }) };
}

test("a clean-up that comes while the element is on the page ends nothing", async () => {
  const { told, parentElement, show } = watched();
  const first = show("a");
  await soon();
  const second = show("b");
  await soon();
  first(); // Streamlit does this when the second payload comes before the first was shown
  show("c");
  await soon();
  equal(told, ["a", "b", "c"]);
  parentElement.remove();
  second();
  equal(told, ["a", "b", "c", "end"]);
});

test("an older payload that comes last is not shown", async () => {
  const { told, show } = watched();
  show("new");
  show("old")(); // as Streamlit does it
  await soon();
  equal(told, ["new"]);
});

const ALL = { bubbles: true, cancelable: true, composed: true };

// A component that tells something each time it is shown, and a link beside it.
function telling(href) {
  const [sent, parentElement] = [[], el("div")];
  const call = keptView(() => ({ show: (data, { setTriggerValue }) => setTriggerValue("step", data) }));
  const link = el("a", { href }, "elsewhere");
  link.addEventListener("click", (event) => event.preventDefault());
  document.body.append(parentElement, link);
  const follow = (how = {}) => link.dispatchEvent(new MouseEvent("click", { ...ALL, ...how }));
  const setTriggerValue = (name, value) => sent.push([name, value]);
  const tell = (data) => (call({ data: [data], parentElement, setTriggerValue }), soon());
  return { sent, follow, parentElement, tell, has: (data) => sent.some(([, value]) => value === data) };
}

test("who follows a link is not called back by what a component tells", async () => {
  const { sent, follow, tell, has } = telling("http://127.0.0.1/elsewhere");
  await tell(1);
  follow({ ctrlKey: true }); // into a tab of its own: this page stays
  await tell(2);
  follow();
  await tell(3);
  equal(sent, [["step", 1], ["step", 2]]);
  now += 5000; // the page is still there
  await tell(4);
  equal(has(4), true);
});

test("nor who goes where the address is before its page", async () => {
  const { sent, tell } = telling("#");
  await tell(1);
  const here = window.location.href;
  window.history.pushState({}, "", "/elsewhere");
  window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  await tell(2); // the page that is left, drawn once more
  equal(sent, [["step", 1]]);
  const other = telling("#");
  await other.tell(3); // the page that came
  equal(other.sent, [["step", 3]]);
  window.history.replaceState({}, "", here);
  now += 5000;
});

test("nor who goes back within the page, at once", async () => {
  const { sent, tell, has } = telling("#");
  await tell(1);
  window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  await tell(2);
  equal(sent, [["step", 1]]);
  now += 1000; // the server has begun to go back
  await tell(3);
  equal(has(3), true);
});

test("what is gone tells nothing", async () => {
  const { sent, parentElement, tell } = telling("#");
  parentElement.remove();
  await tell(1);
  equal(sent, []);
});

test("a link within the page leaves nothing", async () => {
  const { sent, follow, tell } = telling(`${window.location.href}#part`);
  follow();
  await tell(1);
  equal(sent, [["step", 1]]);
});

export default run;
