// The path: two dials, or a click on the map, redraw the consensus of the nearest fit.
const pathMap = find('path-map');
if (pathMap && data.path) {
  const { densities, similarities, corner, cell: size, cells } = data.path;
  const dials = [find('dial-density'), find('dial-similarity')];
  const column = (fit) => densities.indexOf(fit.density_target);
  const row = (fit) => similarities.indexOf(fit.similarity_target);

  const draw = () => {
    const [i, j] = dials.map((dial) => Number(dial.value));
    dials[0].setAttribute('aria-valuetext', `density ${densities[i]}`);
    dials[1].setAttribute('aria-valuetext', `similarity ${similarities[j]}`);
    // Not every cell can be reached: the nearest similarity at that density, then the nearest density.
    const far = (fit) => 100 * Math.abs(column(fit) - i) + Math.abs(row(fit) - j);
    const fit = cells.reduce((best, other) => (far(other) < far(best) ? other : best));
    const [ends, weights] = [shorts(fit.ends), unpacked(fit.w)];
    const drawing = find('dial');
    if (drawing) drawEdges(drawing, weights.length, (k) => [ends[2 * k], ends[2 * k + 1]], (k) => weights[k] / 255);
    const [x, y] = [corner[0] + size[0] * column(fit), corner[1] + size[1] * (similarities.length - 1 - row(fit))];
    pathMap.querySelector('.cursor').setAttribute('d', `M${x} ${y}h${size[0]}v${size[1]}h${-size[0]}z`);
    const drawn = drawing && weights.length < fit.n_edges ? `, the heaviest ${weights.length} drawn` : '';
    const told = `density ${shown(fit.density)}, similarity ${shown(fit.similarity)}: ${count(fit.n_edges, 'shared edge')}${drawn}`;
    find('dial-shown').textContent = `${told}${fit.chosen ? ', the choice' : ''}`;
    if (drawing) describe(drawing, `At ${told}, among the same nodes as in the first figure.`);
  };
  dials.forEach((dial) => dial.addEventListener('input', draw));
  pathMap.addEventListener('click', (event) => {
    const [x, y] = place(pathMap, event);
    const i = Math.floor((x - corner[0]) / size[0]);
    const j = similarities.length - 1 - Math.floor((y - corner[1]) / size[1]);
    if (i < 0 || j < 0 || i >= densities.length || j >= similarities.length) return;
    [dials[0].value, dials[1].value] = [i, j];
    draw();
  });
  draw();
}
