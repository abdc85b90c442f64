// The table of edges: search, filters, sorting, and what is shown as CSV.
const PAGE = 100;
const table = find('edge-table');
const controls = { search: find('search'), share: find('share'), relation: find('relation'), view: find('view') };
let sorting = { key: data.consensus ? 'w' : 'm', up: false };
let rows = [];
let length = PAGE;

const lower = data.nodes.map((name) => name.toLowerCase());
// 0 if the view does not have the edge, -1 if it cannot.
const inView = (k, view) => edges.v[k * data.views.length + view];
const cell = {
  a: (k) => data.nodes[edges.a[k]],
  b: (k) => data.nodes[edges.b[k]],
  w: (k) => edges.w[k],
  n: (k) => edges.n[k],
  m: (k) => edges.m[k],
  v: (k) => inView(k, Number(controls.view.value)) * edges.unit,
};

function chosenRows() {
  const words = controls.search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const share = Number(controls.share.value);
  const relation = controls.relation.value;
  const view = Number(controls.view.value);
  const found = [];
  for (let k = 0; k < edges.a.length; k += 1) {
    const [a, b] = [lower[edges.a[k]], lower[edges.b[k]]];
    // Two words are meant for the two ends, whichever way round.
    const [one, two] = words;
    const named = words.length === 0
      || (words.length === 1 && (a.includes(one) || b.includes(one)))
      || (words.length >= 2 && ((a.includes(one) && b.includes(two)) || (a.includes(two) && b.includes(one))));
    if (!named || edges.n[k] < share * measured(k) - 1e-9) continue;
    const there = inView(k, view) > 0;
    if (relation === 'in' && !there) continue;
    if (relation === 'only' && !(there && edges.n[k] === 1)) continue;
    if (relation === 'without' && inView(k, view) !== 0) continue;
    found.push(k);
  }
  const value = cell[sorting.key];
  const text = sorting.key === 'a' || sorting.key === 'b';
  const order = text ? (i, j) => value(i).localeCompare(value(j), undefined, { numeric: true }) : (i, j) => value(i) - value(j);
  // Equal ones stay in the order of the consensus.
  found.sort((i, j) => (sorting.up ? order(i, j) : order(j, i)) || i - j);
  return found;
}

function drawRows() {
  const withView = controls.relation.value === 'in' || controls.relation.value === 'only';
  table.querySelectorAll('.view-weight').forEach((head) => { head.hidden = !withView; });
  const body = make('tbody');
  for (const k of rows.slice(0, length)) {
    const row = make('tr');
    row.append(make('td', cell.a(k)), make('td', cell.b(k)));
    if (data.consensus) row.append(make('td', shown(edges.w[k]), 'number'));
    row.append(make('td', `${edges.n[k]} of ${measured(k)}`, 'number'), make('td', shown(edges.m[k]), 'number'));
    if (withView) row.append(make('td', shown(cell.v(k)), 'number'));
    body.append(row);
  }
  table.tBodies[0].replaceWith(body);
  find('more').hidden = rows.length <= length;
  const drawn = Math.min(rows.length, length);
  const all = edges.a.length;
  const listed = drawn < rows.length ? `${drawn} shown of ${rows.length}` : `${rows.length}`;
  find('edges-note').textContent = rows.length === all ? `${listed} edges.` : `${listed} of ${all} edges match.`;
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
  head.replaceChildren(button);
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
