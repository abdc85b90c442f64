// What all panels share: the data, and a few short words for the document.
const data = JSON.parse(document.getElementById('data').textContent);
const find = (id) => document.getElementById(id);
// Marks that turn the direction of text are made visible.
const straight = (text) => String(text).replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
const make = (name, text, className) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = straight(text);
  if (className) element.className = className;
  return element;
};
// A name is set apart from what stands around it, whichever way it is written.
const named = (element, name) => {
  const own = make(element);
  own.append(make('bdi', name));
  return own;
};
// Columns that are packed as bytes.
const unpacked = (text) => {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k += 1) bytes[k] = letters.charCodeAt(k);
  return bytes;
};
const shorts = (text) => new Uint16Array(unpacked(text).buffer);
const singles = (text) => new Float32Array(unpacked(text).buffer);
const edges = { a: shorts(data.edges.a), b: shorts(data.edges.b), w: singles(data.edges.w), m: singles(data.edges.m), v: shorts(data.edges.v) };
// A view's weight: 0 is nothing, 65535 a view that lacks a node, others are three digits and a power of ten.
const LACKING = 65535;
const weightOf = (code) => (code === 0 || code === LACKING ? 0 : Number(`${100 + ((code - 1) % 900)}e${Math.floor((code - 1) / 900) - 52}`));
// How many views have an edge, and how many have both its nodes.
edges.n = new Uint16Array(edges.a.length);
edges.of = new Uint16Array(edges.a.length);
for (let k = 0, at = 0; k < edges.a.length; k += 1) {
  for (let view = 0; view < data.views.length; view += 1, at += 1) {
    if (edges.v[at] === LACKING) continue;
    edges.of[k] += 1;
    if (edges.v[at] > 0) edges.n[k] += 1;
  }
}
// Three significant digits, as the page writes them in columns.
const shown = (value) => {
  if (value === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(value)));
  return size < -4 || size > 5 ? value.toExponential(2) : value.toFixed(Math.max(0, 2 - size));
};
const count = (n, noun) => `${n} ${noun}${n === 1 ? '' : 's'}`;
// Where on a drawing an event is, in the drawing's own units.
const place = (svg, event) => {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  return [point.x, point.y];
};
// What a drawing shows, for those who do not see it.
const describe = (svg, text) => { svg.querySelector('desc').textContent = text; };
