// assets/kit/camera.js
function framed([x, y, w, h], [across, down], room, strip = 0) {
  const pixel = Math.max(Math.max(w, room[0]) / across, Math.max(h, room[1]) / (down - strip));
  const [width, height] = [across * pixel, down * pixel];
  return [x + w / 2 - width / 2, y + h / 2 - (height - strip * pixel) / 2, width, height];
}

// assets/kit/dom.js
var SVG = "http://www.w3.org/2000/svg";
var written = (value) => typeof value === "number" ? Math.round(value * 100) / 100 : value;
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value != null && value !== false) element.setAttribute(name, value === true ? "" : written(value));
  }
  element.append(...children);
  return element;
}
var el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
var svgEl = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
function put(element, name, value) {
  if (value == null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(written(value))) element.setAttribute(name, written(value));
}
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
var lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// assets/kit/numbers.js
var subscript = (number) => [...String(number)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");
var solid = (sentence) => sentence.replaceAll(" %", " %");

// assets/kit/views.js
function keptView(create) {
  const views = /* @__PURE__ */ new WeakMap();
  return latest((component) => {
    const { data: [data], parentElement } = component;
    if (!views.has(parentElement)) {
      const made2 = { path: window.location.pathname, back: way().back };
      views.set(parentElement, { view: create(parentElement), made: made2 });
    }
    const { view, made } = views.get(parentElement);
    view.show(data, { ...component, ...telling(component, parentElement, made) });
    return () => {
      if (parentElement.isConnected) return;
      view.destroy?.();
      views.delete(parentElement);
    };
  });
}
function latest(show) {
  return (component) => {
    let end = null;
    const soon = setTimeout(() => {
      end = show(component);
    });
    return () => {
      clearTimeout(soon);
      end?.();
    };
  };
}
function telling({ setTriggerValue, setStateValue }, parentElement, made) {
  const patient = (tell) => tell && unlessLeaving(tell, made, () => parentElement.isConnected);
  return { setTriggerValue: patient(setTriggerValue), setStateValue: patient(setStateValue) };
}
var PATIENCE = 5e3;
var BACK_MS = 1e3;
function way() {
  if (window.wayElsewhere) return window.wayElsewhere;
  const kept = window.wayElsewhere = { from: null, until: 0, back: -Infinity };
  const begin = (from) => Object.assign(kept, { from, until: performance.now() + PATIENCE });
  window.addEventListener("click", (event) => leads(event) && begin(window.location.pathname), true);
  window.addEventListener("popstate", () => Object.assign(begin(null), { back: performance.now() }), true);
  return kept;
}
function leads(event) {
  const link = event.composedPath().find(({ tagName }) => tagName === "A");
  if (!link?.href || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  return link.target !== "_blank" && !link.download && link.pathname !== window.location.pathname;
}
function unlessLeaving(tell, made, here) {
  const known = way();
  return function told(...given) {
    const leaving = made.path !== window.location.pathname || known.from === window.location.pathname;
    const until = leaving ? known.until : known.back === made.back ? 0 : known.back + BACK_MS;
    const wait = until - performance.now();
    if (!here()) return;
    if (wait <= 0) tell(...given);
    else setTimeout(() => told(...given), wait);
  };
}

// assets/kit/paths.js
var round = (value) => Math.round(value * 10) / 10;
var span = (values) => [Math.min(...values), Math.max(...values)];
function bounds(places, pad = 0) {
  const [[left, right], [top, bottom]] = [0, 1].map((axis) => span(places.map((place) => place[axis])));
  return [left - pad, top - pad, right - left + 2 * pad, bottom - top + 2 * pad];
}
function cross([x, y], arm) {
  const long = round(2 * arm);
  return `M${round(x - arm)} ${round(y - arm)}l${long} ${long}m0 ${-long}l${-long} ${long}`;
}

// assets/player/matrix.js
var groupClass = (number) => `group-${(number - 1) % 4}`;

// assets/player/shapes.js
var REACH = [600, 430];
var UNIT = 70;
var RADIUS = { share: 0.36, least: 3.4, most: 17 };
function discs(nodes, edges, times) {
  const { points, radius, unit, box } = layOut(nodes, times);
  const line = ({ source, target, order }) => edgeLines(points[source], points[target], order, unit);
  function band(members) {
    const inside = new Set(members);
    const spots = members.map((node) => `M${points[node].map(round).join(" ")}h0`);
    const ways = edges.filter(({ source, target }) => inside.has(source) && inside.has(target));
    return spots.concat(ways.map((edge) => line({ ...edge, order: 1 }))).join("");
  }
  return {
    points,
    radius,
    unit,
    box,
    body: () => svgEl("circle", { class: "body" }),
    fit: (body, _, size) => put(body, "r", round(size)),
    ring: (name, _, reach) => svgEl("circle", { class: `ring ${name}`, r: round(reach) }),
    line,
    middle: ({ source, target }) => [0, 1].map((axis) => (points[source][axis] + points[target][axis]) / 2),
    band,
    bandWidth: radius * 3.1,
    label: null,
    outline(agreed) {
      const rings = ringsOf(agreed, edges).map((ring) => `M${ring.map((node) => points[node].map(round)).join("L")}Z`);
      const [way2, wide] = [band(agreed) + rings.join(""), radius * 3.9];
      return { lines: [way2, way2], widths: [wide, wide - 2 * Math.max(1.6, radius * 0.16)] };
    },
    contour(agreed, level) {
      const inside = new Set(agreed);
      const own = edges.filter(({ source, target }) => inside.has(source) && inside.has(target));
      const placed = (list) => list.map((node) => points[node]);
      const ways = own.map(({ source, target }) => placed([source, target]));
      return around(placed(agreed), ways, ringsOf(agreed, edges).map(placed), radius * (1.95 + 0.2 * level));
    }
  };
}
function around(spots, ways, rings, away) {
  const inBand = ([x, y]) => rings.some((ring) => within([x, y], ring)) || ways.some((way2) => distance([x, y], way2) < 0.999 * away);
  const pieces = spots.map(([x, y]) => samples((share) => {
    const angle = 2 * Math.PI * share;
    return [x + away * Math.cos(angle), y + away * Math.sin(angle)];
  }));
  for (const [[x1, y1], [x2, y2]] of ways) {
    const long = Math.hypot(x2 - x1, y2 - y1) || 1;
    for (const side of [-away / long, away / long]) {
      const [dx, dy] = [side * (y2 - y1), -side * (x2 - x1)];
      pieces.push(samples((share) => [x1 + dx + share * (x2 - x1), y1 + dy + share * (y2 - y1)]));
    }
  }
  return pieces.map((piece) => {
    const outside = piece.map((place) => !inBand(place));
    const drawn = (place, at) => outside[at] ? `${outside[at - 1] ? "L" : "M"}${place.map(round).join(" ")}` : "";
    return piece.map(drawn).join("");
  }).join("");
}
var PLACES = 120;
var samples = (placeAt) => Array.from({ length: PLACES + 1 }, (_, at) => placeAt(at / PLACES));
function distance([x, y], [[x1, y1], [x2, y2]]) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const share = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1);
  const nearest = Math.min(Math.max(share, 0), 1);
  return Math.hypot(x - x1 - nearest * dx, y - y1 - nearest * dy);
}
function within([x, y], ring) {
  const crosses = ([x1, y1], [x2, y2]) => y1 > y !== y2 > y && x < x1 + (y - y1) / (y2 - y1) * (x2 - x1);
  return ring.filter((place, at) => crosses(place, ring[(at + 1) % ring.length])).length % 2 === 1;
}
function ringsOf(members, edges) {
  const inside = new Set(members);
  const near = new Map(members.map((node) => [node, []]));
  const own = edges.filter(({ source, target }) => inside.has(source) && inside.has(target));
  for (const { source, target } of own) {
    near.get(source).push(target);
    near.get(target).push(source);
  }
  const parent = new Map(members.length ? [[members[0], null]] : []);
  for (const node of parent.keys()) {
    for (const next of near.get(node)) if (!parent.has(next)) parent.set(next, node);
  }
  const wayUp = (node) => node === null || node === void 0 ? [] : [node, ...wayUp(parent.get(node))];
  const closes = ({ source, target }) => parent.get(source) !== target && parent.get(target) !== source;
  return own.filter(closes).map(({ source, target }) => {
    const [left, right] = [wayUp(source), wayUp(target)];
    const meet = left.find((node) => right.includes(node));
    return [...left.slice(0, left.indexOf(meet) + 1), ...right.slice(0, right.indexOf(meet)).reverse()];
  });
}
function typicalGap(points) {
  if (points.length < 2) return 1;
  const nearest = points.map(([x, y], i) => {
    let best = Infinity;
    points.forEach(([u, v], j) => {
      if (i !== j) best = Math.min(best, (x - u) ** 2 + (y - v) ** 2);
    });
    return Math.sqrt(best);
  });
  return Math.max(nearest.sort((a, b) => a - b)[Math.floor(nearest.length / 4)], 1e-6);
}
function layOut(nodes, times = 1) {
  const raw = nodes.map(({ position }) => position);
  const [left, low, wide, high] = bounds(raw);
  const most = RADIUS.most * times;
  const gap = RADIUS.share * times * typicalGap(raw);
  const fits = Math.min(REACH[0] / Math.max(wide, 1e-9), REACH[1] / Math.max(high, 1e-9));
  const unit = Math.min(Math.max(UNIT, most / gap), fits);
  const radius = Math.min(Math.max(gap * unit, RADIUS.least), most);
  const pad = radius * 2.4 + 6;
  const points = raw.map(([x, y]) => [(x - left) * unit + pad, (low + high - y) * unit + pad]);
  return { points, radius, unit, box: [0, 0, wide * unit + 2 * pad, high * unit + 2 * pad] };
}
function edgeLines([x1, y1], [x2, y2], order, unit) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const across = [-(y2 - y1) / length * 0.1 * unit, (x2 - x1) / length * 0.1 * unit];
  const shifts = { 2: [-0.5, 0.5], 3: [-1, 0, 1] }[order] ?? [0];
  return shifts.map((s) => [s * across[0], s * across[1]]).map(([dx, dy]) => `M${round(x1 + dx)} ${round(y1 + dy)}L${round(x2 + dx)} ${round(y2 + dy)}`).join("");
}

// assets/player/words.js
var UNIT2 = 70;
var EM = 3 / 14 * UNIT2;
var HIGH = 1.7 * EM;
var [NARROW, WIDE] = [new Set("ijltfrI.,;:'’!|()[]-"), new Set("mwMW@%—…")];
var lettersWidth = (text) => [...text].reduce((sum, letter) => sum + (NARROW.has(letter) ? 0.34 : WIDE.has(letter) ? 0.95 : 0.61), 0);
var boxWidth = (text) => (Math.max(lettersWidth(text), 0.6) + 0.7) * EM;
var rise = (distance2) => (0.55 + 0.62 * Math.sqrt(Math.abs(distance2) / EM)) * EM;
var sameLine = ([, y0], [, y1]) => Math.abs(y0 - y1) < 0.01;
function layOutWords(nodes, edges) {
  const raw = nodes.map(({ position: [x, y] }) => [x * UNIT2, -y * UNIT2]);
  const halves = nodes.map(({ label }) => boxWidth(label) / 2);
  const [left] = span(raw.map(([x], node) => x - halves[node]));
  const [, right] = span(raw.map(([x], node) => x + halves[node]));
  const arcs = edges.map(({ source, target }) => [raw[source], raw[target]]).filter(([a, b]) => sameLine(a, b));
  const peaks = arcs.map(([[x0, y], [x1]]) => y - HIGH / 2 - rise(x1 - x0));
  const [top, bottom] = span([...raw.flatMap(([, y]) => [y - HIGH / 2, y + HIGH]), ...peaks]);
  const pad = 14;
  const points = raw.map(([x, y]) => [x - left + pad, y - top + pad]);
  return { points, radius: 0.7 * EM, unit: UNIT2, box: [0, 0, right - left + 2 * pad, bottom - top + 2 * pad] };
}
function arcPoints(one, other) {
  const [[x0, y0], [x1, y1]] = sameLine(one, other) === one[0] < other[0] ? [one, other] : [other, one];
  if (!sameLine(one, other)) {
    const [upper, lower] = one[1] < other[1] ? [one, other] : [other, one];
    const [from, to] = [upper[1] + HIGH / 2, lower[1] - HIGH / 2];
    const middle = (from + to) / 2;
    return [[upper[0], from], [upper[0], middle], [lower[0], middle], [lower[0], to]];
  }
  const lean = Math.min(0.35 * EM, (x1 - x0) / 4);
  const [left, right, top] = [x0 + lean, x1 - lean, y1 - HIGH / 2];
  const peak = top - rise(x1 - x0) * 4 / 3;
  const bend = 0.12 * (right - left);
  return [[left, y0 - HIGH / 2], [left + bend, peak], [right - bend, peak], [right, top]];
}
function arcLine(one, other) {
  const [start, ...rest] = arcPoints(one, other).map((place) => place.map(round).join(" "));
  return `M${start}C${rest.join(" ")}`;
}
function arcMiddle(one, other) {
  const [a, b, c, d] = arcPoints(one, other);
  return [0, 1].map((axis) => (a[axis] + 3 * b[axis] + 3 * c[axis] + d[axis]) / 8);
}
function stretches(members, nodes, points, below = 0) {
  const runs = [];
  for (const node of [...members].sort((a, b) => a - b)) {
    const [[x, y], half] = [points[node], boxWidth(nodes[node].label) / 2];
    const last = runs.at(-1);
    if (last && last.node === node - 1 && Math.abs(last.y - y) < 0.01) Object.assign(last, { node, right: x + half });
    else runs.push({ node, left: x - half, right: x + half, y });
  }
  return runs.map(({ left, right, y }) => `M${round(left)} ${round(y + below)}H${round(right)}`).join("");
}
function words(nodes, edges) {
  const box = (element, node, more) => {
    const [wide, high] = [boxWidth(nodes[node].label) + 2 * more, HIGH + 2 * more];
    put(element, "x", round(-wide / 2));
    put(element, "y", round(-high / 2));
    put(element, "width", round(wide));
    put(element, "height", round(high));
    put(element, "rx", round(0.32 * EM + more));
    return element;
  };
  const { points, radius, ...places } = layOutWords(nodes, edges);
  return {
    ...places,
    points,
    radius,
    body: () => svgEl("rect", { class: "body" }),
    fit: (body, node) => box(body, node, 0),
    ring: (name, node, reach) => box(svgEl("rect", { class: `ring ${name}` }), node, (reach - radius) * 0.62),
    line: ({ source, target }) => arcLine(points[source], points[target]),
    middle: ({ source, target }) => arcMiddle(points[source], points[target]),
    band: (members) => stretches(members, nodes, points),
    bandWidth: HIGH + 0.5 * EM,
    label: (node) => [svgEl("text", { "font-size": round(EM), dy: "0.35em" }, nodes[node].label)],
    outline(agreed) {
      return { lines: [stretches(agreed, nodes, points, HIGH / 2 + 0.3 * EM), ""], widths: [0.26 * EM, 0] };
    },
    contour: (agreed, level) => stretches(agreed, nodes, points, HIGH / 2 + (0.3 + 0.28 * (level + 1)) * EM)
  };
}

// assets/player/graph.js
var MANY = 150;
var SMALL = 0.55;
var LABEL = { least: 7.5, size: 11, long: true };
function layers(kind, elements) {
  const low = svgEl("g", { class: kind }, ...elements);
  const high = svgEl("g", { class: kind });
  const place = new Map(elements.map((element, index) => [element, index]));
  function raise(indices) {
    const wanted = new Set(indices.map((index) => elements[index]));
    for (const element of [...high.children]) {
      if (wanted.has(element)) continue;
      const next = [...low.children].find((other) => place.get(other) > place.get(element));
      low.insertBefore(element, next ?? null);
    }
    [...wanted].forEach((element, index) => {
      if (high.children[index] !== element) high.insertBefore(element, high.children[index] ?? null);
    });
  }
  return { groups: [low, high], raise };
}
function createGraph(story) {
  const { nodes, edges } = story.trace;
  const shape = story.written ? words(nodes, edges) : discs(nodes, edges, story.times);
  const { points, radius, unit, box, band } = shape;
  const thin = Math.min(Math.max(radius / 12, 0.35), 1.1);
  const many = nodes.length > MANY;
  const hosts = hydrogenHosts(nodes, edges);
  const longest = Math.max(...nodes.map(({ label: text, id }) => Math.min((text || String(id)).length, 8)));
  const outline = ["outline", "outline-inside"].map((name) => svgEl("path", { class: name, d: "" }));
  const others = svgEl("g", { class: "other-outlines" });
  const bubble = svgEl("path", { class: "bubble", d: "", "stroke-width": round(shape.bandWidth) });
  const groups = svgEl("g", { class: "groups" });
  const crosses = svgEl("path", { class: "crosses", d: "", "stroke-width": round(Math.max(1.4, radius * 0.16)) });
  const badges = svgEl("g", { class: "badges" });
  const edgeEls = edges.map((edge) => svgEl("path", { class: "edge", d: shape.line(edge) }));
  const nodeEls = nodes.map(
    (_, node) => svgEl(
      "g",
      { class: "node outside", "data-node": node, transform: `translate(${points[node].map(round).join(" ")})` }
    )
  );
  const edgeLayers = layers("edges", edgeEls);
  const nodeLayers = layers("nodes", nodeEls);
  const kind = `graph${story.molecule ? " molecule" : ""}${story.written ? " written" : ""}${many ? " many" : ""}`;
  const svg = svgEl(
    "svg",
    { class: kind, role: "group", style: `--thin: ${thin.toFixed(2)}` },
    ...outline,
    others,
    bubble,
    groups,
    ...edgeLayers.groups,
    crosses,
    ...nodeLayers.groups,
    badges
  );
  const drawn = {
    nodes: nodes.map(() => ""),
    // how each node and each edge looks now
    ways: edges.map(() => ""),
    lit: /* @__PURE__ */ new Set(),
    shine: "lit",
    offered: /* @__PURE__ */ new Set(),
    // can be reached with Tab
    near: null,
    // what is not faded; null for all
    agreed: /* @__PURE__ */ new Set(),
    // the nodes of all reasons
    folding: null,
    // how hydrogens are folded into their atoms; null if they are not
    label: LABEL,
    pixel: 1
  };
  const sizeOf = (node) => radius * (hosts.has(node) ? SMALL : 1);
  function rings(node, look, size) {
    const parts = [];
    let reach = size + radius * 0.16;
    const ring = (name, step) => {
      reach += radius * step;
      parts.push(shape.ring(name, node, reach));
    };
    if (look.flags.includes("added") && story.molecule) ring("added", 0.12);
    if (look.role === "frontier" && story.molecule) ring("frontier", 0.16);
    if (look.role === "removed") ring("parent", 0.22);
    if (look.flags.includes("start")) ring("start", 0.24);
    if (look.flags.includes("cut")) {
      ring("cut", 0.22);
      ring("cut", 0.3);
    }
    if (look.flags.includes("parent")) ring("parent", 0.24);
    return parts;
  }
  function label(node, size, hydrogens2) {
    if (shape.label) return shape.label(node);
    if (hosts.has(node)) return [];
    const text = withHydrogens(nodes[node].label || String(nodes[node].id), hydrogens2);
    const shown = text.length > 8 ? `${text.slice(0, 7)}…` : text;
    const fontSize = Math.min(size * 0.98, size * 2.5 / Math.max(shown.length, 1));
    const numbered = nodes[node].element && !hydrogens2;
    const index = numbered ? [svgEl("tspan", { class: "index", dy: "0.25em" }, String(nodes[node].id))] : [];
    return [svgEl("text", { "font-size": round(fontSize), dy: "0.35em" }, shown, ...index)];
  }
  const isFar = (node) => drawn.near !== null && !drawn.near.has(node);
  function drawNode(node, look, folded, hydrogens2) {
    const element = nodes[node].element;
    const coloured = /^[A-Z][a-z]?$/.test(element ?? "") ? ` element-${element}` : "";
    const more = (isFar(node) ? " far" : "") + (folded ? " folded" : "");
    const classes = ["node", look.role, ...look.flags].join(" ") + coloured + more;
    const size = sizeOf(node) * (story.molecule || story.written ? 1 : look.scale);
    const key = `${classes}/${look.scale.toFixed(3)}/${look.strength.toFixed(3)}/${hydrogens2}`;
    if (drawn.nodes[node] === key) return;
    drawn.nodes[node] = key;
    const g = nodeEls[node];
    g.setAttribute("class", classes);
    g.setAttribute("style", `--strength: ${look.strength.toFixed(3)}`);
    const old = g.querySelector(".body");
    const body = old ?? shape.body();
    shape.fit(body, node, size);
    for (const child of [...g.children]) if (child !== body) child.remove();
    if (!old) g.append(body);
    body.before(...rings(node, look, size));
    body.after(...label(node, sizeOf(node), hydrogens2));
  }
  function show(scene) {
    put(svg, "data-mode", scene.mode);
    const folded = drawn.folding ? foldedIn(hosts, scene.looks, drawn.agreed, drawn.folding.open) : /* @__PURE__ */ new Map();
    scene.looks.forEach((look, node) => {
      drawNode(node, look, folded.has(node), [...folded.values()].filter((host) => host === node).length);
    });
    scene.ways.forEach((way2, index) => {
      const { source, target, in_motif } = edges[index];
      const hidden = folded.has(source) || folded.has(target) ? " folded" : "";
      const faded = isFar(source) || isFar(target) ? " far" : "";
      const classes = `edge ${way2}${in_motif ? " true" : ""}${faded}${hidden}`;
      if (drawn.ways[index] === classes) return;
      drawn.ways[index] = classes;
      edgeEls[index].setAttribute("class", classes);
    });
    nodeLayers.raise(scene.members);
    edgeLayers.raise(scene.ways.flatMap((way2, index) => way2 === "outside" || way2 === "reach" ? [] : [index]));
    put(bubble, "d", band(scene.members));
    const extra = edges.filter((_, index) => scene.ways[index] === "extra");
    put(crosses, "d", extra.map((edge) => cross(shape.middle(edge), Math.max(2.4, radius * 0.32))).join(""));
    for (const node of drawn.lit) nodeEls[node].classList.add(drawn.shine);
  }
  function know({ reasons, shown, shares, near }) {
    drawn.near = near;
    drawn.agreed = new Set(reasons.flat());
    const { lines, widths } = shape.outline(reasons[shown] ?? []);
    outline.forEach((path, at) => {
      put(path, "d", lines[at]);
      put(path, "stroke-width", round(widths[at]));
    });
    const thinly = reasons.map((nodes2, index) => index === shown ? null : shape.contour(nodes2, index));
    others.replaceChildren(
      ...thinly.flatMap((d, index) => d ? [svgEl("path", { class: `contour reason-${index + 1}`, d })] : [])
    );
    edgeEls.forEach((edge, index) => edge.style.setProperty("--held", (shares[index] ?? 0).toFixed(3)));
  }
  const fold = (wanted, open) => drawn.folding = wanted ? { open } : null;
  function light(list) {
    const next = new Set(list);
    for (const node of drawn.lit) nodeEls[node].classList.remove("lit", "glow");
    drawn.lit = next;
    drawn.shine = next.size > 12 ? "glow" : "lit";
    for (const node of next) nodeEls[node].classList.add(drawn.shine);
  }
  function showGroups(pieces) {
    svg.classList.toggle("grouped", pieces.length > 0);
    groups.replaceChildren(
      ...pieces.map(
        ({ number, nodes: piece }) => svgEl(
          "path",
          { class: `group ${groupClass(number)}`, d: band(piece), "stroke-width": round(shape.bandWidth) }
        )
      )
    );
    const size = Math.max(radius * 0.55, 5);
    const badge = (node, number) => {
      const at = points[node].map((value, axis) => round(value + radius * (axis ? -1 : 1)));
      const text = svgEl("text", { "font-size": round(size * 1.4), dy: "0.35em" }, String(number));
      return svgEl(
        "g",
        { class: `badge ${groupClass(number)}`, transform: `translate(${at.join(" ")})` },
        svgEl("circle", { r: round(size) }),
        text
      );
    };
    badges.replaceChildren(...pieces.flatMap(({ number, nodes: piece }) => piece.map((node) => badge(node, number))));
  }
  function offer(actions, labelOf) {
    const open = new Set(actions);
    for (const node of drawn.offered) {
      if (!open.has(node)) ["tabindex", "role", "aria-label"].forEach((name) => nodeEls[node].removeAttribute(name));
    }
    for (const node of open) {
      put(nodeEls[node], "tabindex", 0);
      put(nodeEls[node], "role", "button");
      put(nodeEls[node], "aria-label", labelOf(node));
    }
    drawn.offered = open;
  }
  function scaled(pixel) {
    drawn.pixel = pixel;
    const { least, size, long } = drawn.label;
    svg.style.setProperty("--pixel", `${Math.round(pixel * 1e3) / 1e3}px`);
    if (story.written) return;
    const names = longest > 4;
    const small = radius * (long && !names ? 0.95 : Math.min(0.95, 2.5 / longest)) / pixel < least;
    const room = 2 * radius / pixel / (longest * 0.58);
    const fits = !long && room > 0.8 * size;
    svg.classList.toggle("crowded", small && !fits);
    svg.classList.toggle("lettered", small && fits);
    svg.style.setProperty("--label", fits ? Math.min(size, round(room)) : size);
  }
  function write(label2 = LABEL) {
    drawn.label = label2;
    scaled(drawn.pixel);
  }
  const hydrogens = hosts.size > 0;
  const places = { box, points, radius, unit, lineOf: shape.line };
  return { svg, ...places, many, hydrogens, know, fold, show, light, showGroups, offer, scaled, write };
}
function hydrogenHosts(nodes, edges) {
  const bonds = nodes.map(() => []);
  for (const { source, target } of edges) {
    bonds[source].push(target);
    bonds[target].push(source);
  }
  const hangs = (node) => nodes[node].element === "H" && bonds[node].length === 1;
  const pairs = nodes.flatMap((_, node) => hangs(node) ? [[node, bonds[node][0]]] : []);
  return new Map(pairs.filter(([, host]) => nodes[host].element !== "H"));
}
function foldedIn(hosts, looks, agreed, open) {
  const silent = open ? ["outside"] : ["outside", "frontier"];
  return new Map(
    [...hosts].filter(
      ([node]) => silent.includes(looks[node].role) && !looks[node].flags.includes("start") && !agreed.has(node)
    )
  );
}
function withHydrogens(label, count) {
  if (!count) return label;
  return `${label}H${count > 1 ? subscript(count) : ""}`;
}

// assets/player/scenes.js
var LIKELY = 3;
var plainLooks = (nodes) => nodes.map(() => ({ role: "outside", flags: [], scale: 1, strength: 0 }));
function stateScene({ nodes, edges, start }, step, without) {
  const members = step.members.filter((node) => node !== without);
  const inside = new Set(members);
  const preview = without !== null;
  const looks = plainLooks(nodes);
  if (!preview) {
    const sorted = [...step.frontier].sort((a, b) => b.probability - a.probability);
    const likely = /* @__PURE__ */ new Set([...sorted.slice(0, LIKELY).map(({ node }) => node), step.chosen]);
    for (const { node, probability } of step.frontier) {
      looks[node] = {
        role: "frontier",
        flags: likely.has(node) ? ["likely"] : [],
        scale: 0.85 + 0.4 * Math.sqrt(probability),
        strength: probability
      };
    }
  }
  for (const node of members) looks[node] = { role: "member", flags: [], scale: 1, strength: 1 };
  looks[start].flags.push("start");
  if (preview) looks[without] = { role: "removed", flags: [], scale: 1, strength: 1 };
  else {
    for (const node of step.cut_vertices) looks[node].flags.push("cut");
    for (const { removed } of step.parents) looks[removed].flags.push("parent");
    if (step.added !== null) looks[step.added].flags.push("added");
  }
  const open = (node) => looks[node].role === "frontier";
  const ways = edges.map(({ source, target }) => {
    if (inside.has(source) && inside.has(target)) return "inside";
    return inside.has(source) && open(target) || inside.has(target) && open(source) ? "reach" : "outside";
  });
  return { mode: preview ? "preview" : "state", step, members, looks, ways };
}
function foundScene({ nodes, edges, start, steps }, { motif, known }, subgraph, mode) {
  const found = new Set(subgraph.nodes);
  const held = new Set(subgraph.edges);
  const looks = plainLooks(nodes).map((look, node) => {
    const judged = found.has(node) ? motif.has(node) ? "hit" : "extra" : motif.has(node) ? "missed" : "outside";
    const role = known ? judged : found.has(node) ? "found" : "outside";
    return { ...look, role, flags: node === start ? ["start"] : [], strength: 1 };
  });
  const ways = edges.map((edge, index) => {
    if (held.has(index)) return !known ? "found" : edge.in_motif ? "hit" : "extra";
    return edge.in_motif ? "missed" : "outside";
  });
  return { mode, step: steps.at(-1), members: subgraph.nodes, looks, ways };
}

// pages/ui/components/hero.js
var PACE = 1150;
var ROOM = [330, 230];
var LARGER = 1.35;
var LETTERS = { least: 14, size: 15, long: false };
var hero_default = keptView((parentElement) => {
  const root = parentElement.querySelector(".hero");
  const stage = el("div", { class: "hero-stage" });
  const verdict = el("p", { class: "verdict", hidden: true });
  const caption = el("p", { class: "words-now", "aria-live": "polite" });
  const again = el("button", { type: "button", class: "again", onclick: () => toggle() });
  const dots = el("div", { class: "dots", "aria-hidden": "true" });
  const tally = el("ul", { class: "tally", "aria-label": "Reasons" });
  const words2 = el("div", { class: "words" }, el("div", { class: "now" }, verdict, caption));
  root.append(stage, tally, words2, el("div", { class: "row" }, again, dots));
  let [data, frame, timer, graph, text, told] = [null, 0, null, null, null, false];
  const sized = new ResizeObserver(() => graph && lay());
  sized.observe(stage);
  const last = () => data.frames.length;
  function play() {
    clearTimeout(timer);
    timer = frame < last() ? setTimeout(() => (show(frame + 1), play()), PACE) : null;
    say();
  }
  function toggle() {
    if (timer === null) {
      if (frame === last()) show(0);
      play();
    } else {
      clearTimeout(timer);
      timer = null;
      say();
    }
  }
  const say = () => setText(again, timer !== null ? "Pause" : frame === last() ? "Play again" : "Play");
  function draw() {
    const molecule = data.nodes.some(({ element }) => element);
    graph = createGraph({ trace: data, molecule, written: data.written, times: LARGER });
    graph.write(LETTERS);
    stage.replaceChildren(graph.svg);
    put(words2, "data-verdict", data.end.verdict);
    put(words2, "data-says", data.end.says);
    root.classList.toggle("tween", !lessMotion());
    dots.replaceChildren(...[...data.frames, data.end].map(({ members }) => el("i", { class: !members && "answer" })));
    tally.hidden = !data.reasons.length;
    tally.replaceChildren(...data.reasons.map(({ name, share, percent }) => {
      const bar = el("i", { style: `--share: ${share}` });
      return el("li", {}, el("span", {}, name), el("span", { class: "share" }, bar), el("b", {}, solid(percent)));
    }));
    lay();
  }
  function lay() {
    const size = [stage.clientWidth || 560, stage.clientHeight || 400];
    const box = framed(graph.box, size, ROOM);
    put(graph.svg, "viewBox", box.join(" "));
    graph.scaled(box[2] / size[0]);
  }
  function show(next) {
    frame = next;
    const { frames, end, known, edges } = data;
    const answer = frame === last();
    const motif = new Set(edges.flatMap(({ source, target, in_motif }) => in_motif ? [source, target] : []));
    const now = answer ? end : frames[frame];
    const trace = { ...data, steps: frames, start: now.start };
    graph.show(now.members ? stateScene(trace, now, null) : foundScene(trace, { motif, known }, now, "end"));
    const { says } = now;
    verdict.hidden = !answer;
    setText(verdict, solid(end.verdict));
    setText(caption, solid(says));
    put(graph.svg, "aria-label", says);
    [...dots.children].forEach((dot, number) => dot.classList.toggle("done", number <= frame));
    data.reasons.forEach(({ at }, number) => tally.children[number].classList.toggle("done", frame >= at));
    tally.classList.toggle("counted", answer);
    say();
  }
  function tellIdle(setTriggerValue) {
    const idle = window.requestIdleCallback ?? ((run) => setTimeout(run, 300));
    setTimeout(() => idle(() => setTriggerValue("idle", true), { timeout: 3e3 }), 300);
  }
  return {
    show({ idle, seek, ...rest }, { setTriggerValue }) {
      if (idle && !told) tellIdle(setTriggerValue);
      told ||= idle;
      if (text === JSON.stringify(rest)) return;
      text = JSON.stringify(rest);
      data = rest;
      clearTimeout(timer);
      timer = null;
      draw();
      if (seek) stage.scrollIntoView({ block: "nearest", behavior: lessMotion() ? "auto" : "smooth" });
      show(lessMotion() ? last() : 0);
      if (!lessMotion()) play();
    },
    destroy() {
      clearTimeout(timer);
      sized.disconnect();
    }
  };
});
export {
  hero_default as default
};
