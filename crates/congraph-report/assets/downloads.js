// Figures as SVG and PNG, the table as CSV, the methods to the clipboard: all made here.
function save(name, blob) {
  const link = make('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A drawing that needs no style sheet: what the page's gives is written into its elements.
const STYLES = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin', 'paint-order', 'opacity', 'shape-rendering', 'font-family', 'font-size', 'text-anchor', 'display'];
function standalone(svg) {
  // As on a wide page, whatever the width of this one.
  svg.classList.add('full');
  const copy = svg.cloneNode(true);
  const [from, to] = [svg.querySelectorAll('*'), copy.querySelectorAll('*')];
  from.forEach((element, k) => {
    const style = getComputedStyle(element);
    to[k].setAttribute('style', STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(';'));
  });
  // What sticks out of the frame is shown by the page, and would be cut in a file.
  const [x, y, w, h] = svg.getAttribute('viewBox').split(' ').map(Number);
  const box = svg.getBBox();
  const [left, top] = [Math.min(x, Math.floor(box.x - 4)), Math.min(y, Math.floor(box.y - 4))];
  const width = Math.max(x + w, Math.ceil(box.x + box.width + 4)) - left;
  const height = Math.max(y + h, Math.ceil(box.y + box.height + 4)) - top;
  svg.classList.remove('full');
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [element, keys] of [
    [copy, { width, height, viewBox: [left, top, width, height].join(' ') }],
    [ground, { x: left, y: top, width, height, fill: getComputedStyle(document.body).backgroundColor }],
  ]) Object.entries(keys).forEach(([key, value]) => element.setAttribute(key, value));
  copy.insertBefore(ground, copy.querySelector('desc').nextSibling);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

function savePng(name, { text, width, height }) {
  const scale = Math.max(2, Math.min(4, 1600 / width));
  const picture = new Image();
  picture.onload = () => {
    const canvas = make('canvas');
    [canvas.width, canvas.height] = [width * scale, height * scale];
    canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(name, blob), 'image/png');
  };
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

document.querySelectorAll('[data-download]').forEach((button) => button.addEventListener('click', () => {
  const figure = button.closest('figure');
  const drawing = standalone(figure.querySelector('svg'));
  const name = `congraph-${figure.dataset.name}.${button.dataset.download}`;
  if (button.dataset.download === 'svg') save(name, new Blob([drawing.text], { type: 'image/svg+xml' }));
  else savePng(name, drawing);
}));

find('csv').addEventListener('click', () => {
  // A name that a spreadsheet would take for a formula gets an apostrophe; numbers are ours.
  const harmless = (value) => (typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value));
  const quoted = (value) => {
    const text = harmless(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const withView = ['in', 'only'].includes(controls.relation.value);
  const head = ['source', 'target', ...(data.consensus ? ['consensus'] : []), 'n_views', 'mean_weight'];
  if (withView) head.push(data.views[Number(controls.view.value)]);
  const digits = (value) => Number(value.toPrecision(6));
  const lines = rows.map((k) => {
    const line = [cell.a(k), cell.b(k), ...(data.consensus ? [digits(edges.w[k])] : []), edges.n[k], digits(edges.m[k])];
    if (withView) line.push(cell.v(k));
    return line;
  });
  // The mark at the start tells spreadsheets that this is UTF-8.
  save('congraph-edges.csv', new Blob(['\ufeff', [head, ...lines].map((line) => line.map(quoted).join(',')).join('\r\n'), '\r\n'], { type: 'text/csv;charset=utf-8' }));
});

find('copy').addEventListener('click', () => {
  const text = Array.from(document.querySelectorAll('.methods'), (paragraph) => paragraph.textContent).join('\n\n');
  const area = make('textarea', text);
  document.body.append(area);
  area.select();
  // A page from a file may not use the newer clipboard without being asked.
  const copied = document.execCommand('copy');
  area.remove();
  find('copy').textContent = copied ? 'Copied' : 'Select the text to copy it';
});
