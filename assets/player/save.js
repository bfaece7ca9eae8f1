// The current picture as an SVG or PNG file, made in the browser, with its looks written into it.

import { el, put, svgEl } from "../kit/dom.js";

const STROKE = ["stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin"];
const LOOKS = ["fill", "fill-opacity", ...STROKE, "opacity", "display"];
const TEXT_LOOKS = ["font-family", "font-size", "font-weight", "text-anchor", "paint-order", "transform"];

// Mixed colours come as color(srgb …), which many programs cannot read.
function plainColour(value) {
  return value.replace(/color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)/g, (_, r, g, b, a) => {
    const [red, green, blue] = [r, g, b].map((part) => Math.round(255 * Number(part)));
    return a === undefined ? `rgb(${red}, ${green}, ${blue})` : `rgba(${red}, ${green}, ${blue}, ${a})`;
  });
}

function standalonePicture(svg, background) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, index) => {
    const computed = getComputedStyle(original);
    const written = ["text", "tspan"].includes(original.tagName) ? TEXT_LOOKS : [];
    const inline = [...LOOKS, ...written]
      .map((name) => [name, computed.getPropertyValue(name)])
      .filter(([name, value]) => value && !(value === "none" && !["fill", "stroke", "display"].includes(name)))
      .map(([name, value]) => `${name}:${plainColour(value)}`);
    copies[index].setAttribute("style", inline.join(";"));
    copies[index].removeAttribute("class");
    copies[index].removeAttribute("tabindex");
  });
  copy.querySelectorAll("*").forEach((element) => element.style.display === "none" && element.remove());
  const [x, y, width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  copy.prepend(svgEl("rect", { x, y, width, height, style: `fill:${plainColour(background)}` }));
  put(copy, "width", Math.round(width));
  put(copy, "height", Math.round(height));
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

function download(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const svgBlob = (text) => new Blob([text], { type: "image/svg+xml" });

export async function saveSvg(svg, background, name) {
  download(svgBlob(standalonePicture(svg, background).text), `${name}.svg`);
}

export async function savePng(svg, background, name) {
  const { text, width, height } = standalonePicture(svg, background);
  const scale = Math.max(2, 1600 / width);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = el("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  const pen = canvas.getContext("2d");
  pen.fillStyle = background;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  download(blob, `${name}.png`);
}
