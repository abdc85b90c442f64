// How sure each edge is: a slider on how often edges come back leaves some in the drawing and in the table.
const least = find('sure-least');
if (least && data.sure) {
  const sure = { ...data.sure, se: data.sure.se && singles(data.sure.se) };
  const columns = sure.columns.map((name, k) => ({ name, values: singles(sure.values[k]) }));
  const valueOf = (name) => columns.find((column) => column.name === name)?.values;
  const [back, q] = [valueOf(sure.back), valueOf('q_direct')];
  const supported = (k) => sure.level !== null && q !== undefined && q[k] <= sure.level;
  const all = back.length;
  // As the page orders them: the most surely dependent first, then those that come back most often.
  const key = (values, k, none) => (values === undefined || Number.isNaN(values[k]) ? none : values[k]);
  const order = Array.from({ length: all }, (_, k) => k).sort((i, j) => key(q, i, 2) - key(q, j, 2) || key(back, j, -1) - key(back, i, -1) || i - j);
  const digits = (name, value) => {
    if (Number.isNaN(value)) return '\u2013';
    if (name === 'n_views_at_least') return `${value} of ${data.views.length}`;
    return name === 'frequency' || name === 'replicates' ? value.toFixed(2) : shown(value);
  };
  const drawing = find('sure');
  const draw = () => {
    const bound = Number(least.value) / 100;
    const stays = (k) => key(back, k, -1) >= bound - 1e-6;
    const kept = order.filter(stays);
    const n = kept.filter(supported).length;
    const told = `${bound.toFixed(2)}: ${kept.length} of ${count(data.shared_edges, 'edge')}${sure.level === null ? '' : `, ${n} supported`}`;
    find('sure-shown').textContent = told;
    least.setAttribute('aria-valuetext', told);
    const body = make('tbody');
    for (const k of kept.slice(0, PAGE)) {
      const row = make('tr');
      const second = named('td', data.nodes[edges.b[k]]);
      if (supported(k)) second.append(' ', make('span', 'supported', 'mark'));
      const weight = sure.se && !Number.isNaN(sure.se[k]) ? `${shown(edges.w[k])} \u00b1 ${shown(sure.se[k])}` : shown(edges.w[k]);
      row.append(named('td', data.nodes[edges.a[k]]), second, make('td', weight, 'number'));
      columns.forEach(({ name, values }) => row.append(make('td', digits(name, values[k]), 'number')));
      body.append(row);
    }
    find('sure-table').tBodies[0].replaceWith(body);
    find('sure-note').textContent = kept.length > PAGE ? `The first ${PAGE} of ${count(kept.length, 'edge')}; edges.tsv holds all.` : '';
    if (!drawing) return;
    const paths = Array.from({ length: 2 * CLASSES }, () => []);
    const heaviest = Math.abs(edges.w[0]);
    const drawn = Array.from({ length: all }, (_, k) => k).filter(stays).slice(0, sure.most);
    for (const k of drawn) {
      const level = Math.min(CLASSES, Math.max(1, Math.ceil(CLASSES * Math.sqrt(Math.abs(edges.w[k]) / heaviest))));
      paths[level - 1 + (supported(k) ? CLASSES : 0)].push(`M${data.x[edges.a[k]]} ${data.y[edges.a[k]]}L${data.x[edges.b[k]]} ${data.y[edges.b[k]]}`);
    }
    drawing.querySelectorAll('.edge').forEach((path, k) => path.setAttribute('d', paths[k].join('')));
    describe(drawing, `${drawn.length} of ${count(data.shared_edges, 'edge')} drawn, ${drawn.filter(supported).length} of them solid because they are supported. The table below holds the same as text.`);
  };
  least.addEventListener('input', draw);
  draw();
}
