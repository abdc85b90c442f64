// The table of edges: search, filters, sorting, and what is shown as CSV.
const PAGE = 100;
const table = find('edge-table');
const controls = { search: find('search'), share: find('share'), relation: find('relation'), view: find('view') };
let sorting = { key: data.consensus ? 'w' : 'm', up: false };
let rows = [];
let length = PAGE;

// Where each name stands among all, so that sorting edges compares numbers.
const rank = [];
[...data.nodes.keys()].sort(((order) => (i, j) => order.compare(data.nodes[i], data.nodes[j]))(new Intl.Collator(undefined, { numeric: true }))).forEach((node, k) => { rank[node] = k; });
const lower = data.nodes.map((name) => name.toLowerCase());
const codeIn = (k, view) => edges.v[k * data.views.length + view];
const cell = {
  a: (k) => data.nodes[edges.a[k]],
  b: (k) => data.nodes[edges.b[k]],
  w: (k) => edges.w[k],
  n: (k) => edges.n[k],
  m: (k) => edges.m[k],
  v: (k) => weightOf(codeIn(k, Number(controls.view.value))),
};

// Which nodes each end may be: all of a name that some node has, else some words for one end and the others for the other, whichever way round.
function searched(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const holding = (part) => lower.map((name) => name.includes(part));
  const whole = holding(words.join(' '));
  if (words.length < 2 || whole.includes(true)) return (a, b) => whole[a] || whole[b];
  const ways = words.slice(1).map((_, k) => [holding(words.slice(0, k + 1).join(' ')), holding(words.slice(k + 1).join(' '))]);
  return (a, b) => ways.some(([one, two]) => (one[a] && two[b]) || (one[b] && two[a]));
}

function chosenRows() {
  const fits = searched(controls.search.value);
  const share = Number(controls.share.value);
  const relation = controls.relation.value;
  const view = Number(controls.view.value);
  const found = [];
  for (let k = 0; k < edges.a.length; k += 1) {
    if (!fits(edges.a[k], edges.b[k]) || edges.n[k] < share * edges.of[k] - 1e-9) continue;
    const code = codeIn(k, view);
    const there = code > 0 && code !== LACKING;
    if (relation === 'in' && !there) continue;
    if (relation === 'only' && !(there && edges.n[k] === 1)) continue;
    if (relation === 'without' && code !== 0) continue;
    found.push(k);
  }
  const value = ['a', 'b'].includes(sorting.key) ? (k) => rank[edges[sorting.key][k]] : cell[sorting.key];
  const order = (i, j) => value(i) - value(j);
  // Equal ones stay in the order of the consensus.
  found.sort((i, j) => (sorting.up ? order(i, j) : order(j, i)) || i - j);
  return found;
}

// How many there are, and of which: the page may hold only the heaviest.
function note() {
  const [held, all] = [edges.a.length, data.all_edges];
  const listed = length < rows.length ? `, ${length} shown` : '';
  if (held === all) {
    const of = rows.length === all ? count(all, 'edge') : `${rows.length} of ${count(all, 'edge')} match`;
    return `${of}${listed}.`;
  }
  if (rows.length === held) return `The heaviest ${held} of ${all} edges are in this page${listed}; edges.tsv holds all.`;
  const { relation, view, share, search } = controls;
  const known = relation.value !== '' && share.value === '0' && search.value.trim() === '';
  const words = { in: 'in', only: 'only in', without: 'not in' }[relation.value];
  const total = known ? ` Of all ${all}, ${data.counts[relation.value][Number(view.value)]} are ${words} ${straight(data.views[Number(view.value)])}.` : '';
  return `${rows.length} of the heaviest ${held} edges match${listed}.${total} The other ${all - held} are not in this page, but in edges.tsv.`;
}

function drawRows() {
  const withView = controls.relation.value === 'in' || controls.relation.value === 'only';
  table.querySelectorAll('.view-weight').forEach((head) => { head.hidden = !withView; });
  const body = make('tbody');
  for (const k of rows.slice(0, length)) {
    const row = make('tr');
    row.append(named('td', cell.a(k)), named('td', cell.b(k)));
    if (data.consensus) row.append(make('td', shown(edges.w[k]), 'number'));
    row.append(make('td', `${edges.n[k]} of ${edges.of[k]}`, 'number'), make('td', shown(edges.m[k]), 'number'));
    if (withView) row.append(make('td', shown(cell.v(k)), 'number'));
    body.append(row);
  }
  table.tBodies[0].replaceWith(body);
  find('more').hidden = rows.length <= length;
  find('edges-note').textContent = note();
  table.querySelectorAll('th').forEach((head) => {
    if (head.dataset.key === sorting.key) head.setAttribute('aria-sort', sorting.up ? 'ascending' : 'descending');
    else head.removeAttribute('aria-sort');
  });
}

function renew() {
  if (sorting.key === 'v' && !['in', 'only'].includes(controls.relation.value)) sorting = { key: data.consensus ? 'w' : 'm', up: false };
  rows = chosenRows();
  length = PAGE;
  drawRows();
}

table.querySelectorAll('th').forEach((head) => {
  const button = make('button', head.textContent);
  button.type = 'button';
  // A button is not printed again where the table goes on, its words are.
  head.replaceChildren(button, make('span', head.textContent, 'for-print'));
  button.addEventListener('click', () => {
    const { key } = head.dataset;
    const text = key === 'a' || key === 'b';
    sorting = { key, up: sorting.key === key ? !sorting.up : text };
    renew();
  });
});
controls.search.addEventListener('input', renew);
[controls.share, controls.relation, controls.view].forEach((control) => control.addEventListener('change', renew));
controls.view.addEventListener('change', () => {
  if (controls.relation.value === '') {
    controls.relation.value = 'in';
    renew();
  }
});
find('more').addEventListener('click', () => {
  length += 5 * PAGE;
  drawRows();
});
renew();
