// A cell of the similarity map in words: under the pointer or a tap, by the arrow keys, or of two views that are chosen.
const heatmap = find('heatmap');
if (heatmap && data.similarities) {
  const { order, values, left, top, cell } = data.similarities;
  const n = order.length;
  const choices = [find('similarity-one'), find('similarity-two')];
  // In the order of the map, as its arrow keys go.
  choices.forEach((choice) => order.forEach((view, k) => {
    const option = make('option', data.views[view]);
    option.value = k;
    choice.append(option);
  }));
  let at = [0, Math.min(1, n - 1)];
  const read = (row, column) => {
    at = [row, column];
    choices.forEach((choice, k) => { choice.value = at[k]; });
    heatmap.querySelector('.cursor').setAttribute('d', `M${left + cell * column} ${top + cell * row}h${cell}v${cell}h${-cell}z`);
    const [one, two] = at.map((k) => order[k]);
    find('similarity-readout').textContent = row === column ? 'the same view' : `${values[one][two].toFixed(3)}`;
  };
  const point = (event) => {
    const [x, y] = place(heatmap, event);
    const [row, column] = [Math.floor((y - top) / cell), Math.floor((x - left) / cell)];
    if (row >= 0 && column >= 0 && row < n && column < n) read(row, column);
  };
  ['pointermove', 'pointerdown', 'click'].forEach((name) => heatmap.addEventListener(name, point));
  choices.forEach((choice) => choice.addEventListener('change', () => read(...choices.map(({ value }) => Number(value)))));
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  find('heatmap-region').addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    read(...at.map((k, axis) => Math.min(n - 1, Math.max(0, k + step[axis]))));
  });
  choices.forEach((choice, k) => { choice.value = at[k]; });
  find('similarity-readout').textContent = values[order[at[0]]][order[at[1]]].toFixed(3);
}
