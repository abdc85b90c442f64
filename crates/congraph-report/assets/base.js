// What all panels share: the data, and a few short words for the document.
const data = JSON.parse(document.getElementById('data').textContent);
const edges = data.edges;
const find = (id) => document.getElementById(id);
const make = (name, text, className) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
};
// Three significant digits, as the page writes them in columns.
const shown = (value) => {
  if (value === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(value)));
  return size < -4 || size > 5 ? value.toExponential(2) : value.toFixed(Math.max(0, 2 - size));
};
// Where on a drawing an event is, in the drawing's own units.
const place = (svg, event) => {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  return [point.x, point.y];
};
// How many views have both nodes of an edge.
const measured = (k) => (edges.of ? edges.of[k] : data.views.length);
