// Views that are kept while their element is on the page, and reports that wait for their answers.

import { el } from "../../assets/kit/dom.js";
import { keptView } from "../../assets/kit/views.js";
import { oneAtATime } from "../../assets/state_graph/picture.js";
import { equal, run, test } from "./harness.js";

function watched() {
  const told = [];
  const call = keptView(() => ({ show: (data) => told.push(data), destroy: () => told.push("end") }));
  const parentElement = el("div");
  document.body.append(parentElement);
  return { told, parentElement, show: (data) => call({ data: [data], parentElement }) };
}

test("a view is made once and shows each payload", () => {
  let made = 0;
  const call = keptView(() => ({ show: () => {}, number: (made += 1) }));
  const parentElement = el("div");
  for (const data of [1, 2, 3]) call({ data: [data], parentElement });
  equal(made, 1);
});

test("a clean-up that comes while the element is on the page ends nothing", () => {
  const { told, parentElement, show } = watched();
  const first = show("a");
  const second = show("b");
  first(); // Streamlit does this when the second payload comes before the first was shown
  show("c");
  equal(told, ["a", "b", "c"]);
  parentElement.remove();
  second();
  equal(told, ["a", "b", "c", "end"]);
});

test("an element of its own has a view of its own", () => {
  const [one, other] = [watched(), watched()];
  one.show("a");
  other.show("b");
  equal([one.told, other.told], [["a"], ["b"]]);
});

// A component that tells something each time it is shown, and a link beside it.
function telling(href) {
  const [sent, parentElement] = [[], el("div")];
  const call = keptView(() => ({ show: (data, { setTriggerValue }) => setTriggerValue("step", data) }));
  const link = el("a", { href }, "elsewhere");
  link.addEventListener("click", (event) => event.preventDefault());
  document.body.append(parentElement, link);
  const follow = (how = {}) => link.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true, ...how }));
  const setTriggerValue = (name, value) => sent.push([name, value]);
  return { sent, follow, tell: (data) => call({ data: [data], parentElement, setTriggerValue }) };
}

test("who follows a link is not called back by what a component tells", () => {
  const { sent, follow, tell } = telling("http://127.0.0.1/elsewhere");
  tell(1);
  follow({ ctrlKey: true }); // into a tab of its own: this page stays
  tell(2);
  follow();
  tell(3);
  equal(sent, [["step", 1], ["step", 2]]);
  window.wayElsewhere.until = 0; // the page is still there
  tell(4);
  equal(sent, [["step", 1], ["step", 2], ["step", 4]]);
});

test("a link within the page leaves nothing", () => {
  const { sent, follow, tell } = telling(`${window.location.href}#part`);
  follow();
  tell(1);
  equal(sent, [["step", 1]]);
});

test("of reports without an answer only the first goes", () => {
  const sent = [];
  const reports = oneAtATime(({ value }) => sent.push(value));
  for (const value of [1, 2, 3]) reports.tell({ state: 0, value });
  equal(sent, [1]);
  equal(reports.answered(), false);
});

test("a report that settles goes at once and is the last", () => {
  const sent = [];
  const reports = oneAtATime(({ value }) => sent.push(value));
  reports.tell({ state: 0, value: 1 });
  reports.tell({ state: 0, value: 2 });
  reports.tell({ state: 0, value: 3, settled: true });
  equal(sent, [1, 3]);
  reports.heard();
  equal(reports.answered(), true);
});

test("a report about another state loses none", () => {
  const sent = [];
  const reports = oneAtATime(({ state, value }) => sent.push([state, value]));
  reports.tell({ state: 0, value: 1 });
  reports.tell({ state: 0, value: 2 });
  reports.tell({ state: 1, value: 5, settled: true });
  equal(sent, [[0, 1], [0, 2], [1, 5]]);
});

export default run;
