// The cell of the similarity map under the pointer, in words.
const heatmap = find('heatmap');
if (heatmap && data.similarities) {
  const { order, values, left, top, cell } = data.similarities;
  heatmap.addEventListener('pointermove', (event) => {
    const [x, y] = place(heatmap, event);
    const [row, column] = [Math.floor((y - top) / cell), Math.floor((x - left) / cell)];
    const inside = row >= 0 && column >= 0 && row < order.length && column < order.length;
    const cursor = heatmap.querySelector('.cursor');
    cursor.setAttribute('d', inside ? `M${left + cell * column} ${top + cell * row}h${cell}v${cell}h${-cell}z` : '');
    if (!inside) return;
    const [one, two] = [order[row], order[column]];
    find('similarity-readout').textContent = `${data.views[one]} and ${data.views[two]}: ${values[one][two].toFixed(3)}`;
  });
}
