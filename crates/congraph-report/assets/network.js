// Edges in six classes of weight, one path each: as the page draws them.
const CLASSES = 6;
const LISTED = 14;
function drawEdges(svg, n, ends, share) {
  const paths = Array.from({ length: CLASSES }, () => []);
  for (let k = 0; k < n; k += 1) {
    const [a, b] = ends(k);
    const level = Math.min(CLASSES, Math.max(1, Math.ceil(CLASSES * Math.sqrt(share(k)))));
    paths[level - 1].push(`M${data.x[a]} ${data.y[a]}L${data.x[b]} ${data.y[b]}`);
  }
  svg.querySelectorAll('.edge').forEach((path, k) => path.setAttribute('d', paths[k].join('')));
}

const network = find('network');
const strongest = find('strongest');
const nodeChoice = find('node');

const hub = data.strength.indexOf(Math.max(...data.strength));

function drawStrongest() {
  const n = Number(strongest.value);
  const held = Number(strongest.max);
  drawEdges(network, n, (k) => [edges.a[k], edges.b[k]], (k) => edges.w[k] / edges.w[0]);
  const all = data.shared_edges;
  find('strongest-shown').textContent = held < all ? `${n} of ${all}; the page holds the heaviest ${held}` : `${n} of ${all}`;
  strongest.setAttribute('aria-valuetext', `${n} of ${count(all, 'edge')}`);
  describe(network, `${count(data.nodes.length, 'node')}, joined by the ${n} strongest of ${count(all, 'edge')}. The node with the largest strength is ${straight(data.nodes[hub])}. The table of edges below holds the same as text.`);
}

function chooseNode(node) {
  const panel = find('node-edges');
  nodeChoice.value = node === null ? '' : String(node);
  network.classList.toggle('has-choice', node !== null);
  network.querySelectorAll('.is-chosen').forEach((mark) => mark.classList.remove('is-chosen'));
  if (node === null) {
    network.querySelector('.chosen-edges').setAttribute('d', '');
    panel.replaceChildren(make('p', 'Click a node, or choose one above, to see its edges.', 'quiet'));
    return;
  }
  network.querySelectorAll('.nodes path')[node].classList.add('is-chosen');
  const own = [];
  for (let k = 0; k < data.shared_edges && k < edges.w.length; k += 1) {
    if (edges.a[k] === node || edges.b[k] === node) own.push(k);
  }
  const line = (k) => `M${data.x[edges.a[k]]} ${data.y[edges.a[k]]}L${data.x[edges.b[k]]} ${data.y[edges.b[k]]}`;
  network.querySelector('.chosen-edges').setAttribute('d', own.map(line).join(''));
  const list = make('ol');
  for (const k of own.slice(0, LISTED)) {
    const item = make('li');
    item.append(named('span', data.nodes[edges.a[k] === node ? edges.b[k] : edges.a[k]]), make('span', `${shown(edges.w[k])} \u00b7 ${edges.n[k]} of ${edges.of[k]}`));
    list.append(item);
  }
  // Counted over all edges, whether the page holds them or not.
  const all = data.degree[node];
  panel.replaceChildren(named('h3', data.nodes[node]), make('p', `${count(all, 'edge')}, strength ${shown(data.strength[node])}`, 'quiet'), list);
  if (own.length > LISTED) panel.append(make('p', `and ${own.length - LISTED} more, in the table of edges`, 'quiet'));
  if (own.length < all) panel.append(make('p', `${own.length} of them are in this page; edges.tsv holds all`, 'quiet'));
  if (own.length) panel.append(make('p', 'Weight \u00b7 in how many views', 'quiet'));
}

if (strongest) {
  strongest.addEventListener('input', drawStrongest);
  strongest.setAttribute('aria-valuetext', find('strongest-shown').textContent);
  nodeChoice.addEventListener('change', () => chooseNode(nodeChoice.value === '' ? null : Number(nodeChoice.value)));
  network.addEventListener('click', (event) => {
    const [x, y] = place(network, event);
    let best = 18;
    let node = null;
    for (let k = 0; k < data.x.length; k += 1) {
      const distance = Math.hypot(data.x[k] - x, data.y[k] - y);
      if (distance < best) [best, node] = [distance, k];
    }
    chooseNode(node);
  });
  // In the search field Escape means the search.
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && event.target.id !== 'search' && nodeChoice.value !== '') chooseNode(null);
  });
  drawStrongest();
}
