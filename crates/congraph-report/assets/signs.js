// Signed graphs: what the scripts above do with weights, done with their signs. Functions of the same name take the place of theirs.
// Six classes of positive edges, then six of negative ones. A dial's negative edge has its larger end first.
function drawEdges(svg, n, ends, share) {
  const paths = Array.from({ length: 2 * CLASSES }, () => []);
  for (let k = 0; k < n; k += 1) {
    const [a, b] = ends(k);
    const negative = svg === network ? edges.w[k] < 0 : a > b;
    const level = Math.min(CLASSES, Math.max(1, Math.ceil(CLASSES * Math.sqrt(Math.abs(share(k))))));
    paths[level - 1 + (negative ? CLASSES : 0)].push(`M${data.x[a]} ${data.y[a]}L${data.x[b]} ${data.y[b]}`);
  }
  svg.querySelectorAll('.edge').forEach((path, k) => path.setAttribute('d', paths[k].join('')));
}

// The edges of a chosen node: the negative ones dashed.
const chooseAny = chooseNode;
chooseNode = (node) => {
  chooseAny(node);
  const own = [[], []];
  for (let k = 0; node !== null && k < data.shared_edges && k < edges.w.length; k += 1) {
    if (edges.a[k] === node || edges.b[k] === node) own[edges.w[k] < 0 ? 1 : 0].push(`M${data.x[edges.a[k]]} ${data.y[edges.a[k]]}L${data.x[edges.b[k]]} ${data.y[edges.b[k]]}`);
  }
  ['.chosen-edges', '.chosen-negative'].forEach((name, k) => network.querySelector(name).setAttribute('d', own[k].join('')));
};

// The sign of each edge in each view, one bit each.
const negatives = unpacked(data.edges.s);
cell.v = (k) => {
  const view = Number(controls.view.value);
  const at = k * data.views.length + view;
  return weightOf(codeIn(k, view)) * ((negatives[at >> 3] >> (at & 7)) & 1 ? -1 : 1);
};
// At first by size, whatever the sign; a column that is clicked is sorted by its numbers.
cell.size = (k) => -k;
sorting = { key: 'size', up: false };
renew();
