import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';

import { download, keep, open, start, stop } from './browser.mjs';
import { HOSTILE, RUNS, folders, megabytes, table } from './folders.mjs';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PANELS = ['verdict', 'consensus', 'group', 'differences', 'edges', 'communities', 'artefact', 'convergence', 'quality', 'methods', 'glossary', 'limits'];

before(start);
after(stop);

const set = (page, selector, value) => page.$eval(selector, (input, to) => {
  input.value = to;
  input.dispatchEvent(new Event('input', { bubbles: true }));
}, value);
const segments = (page, figure) => page.$$eval(`#${figure} .edge`, (paths) => paths.map((path) => path.getAttribute('d').split('M').length - 1).reduce((x, y) => x + y, 0));
const rows = (page) => page.$$eval('#edge-table tbody tr', (found) => found.map((row) => Array.from(row.cells, (cell) => cell.textContent)));
const dataOf = async (page) => JSON.parse(await page.textContent('#data'));
/** Where a place of a drawing is on the page. */
const pointOf = (page, id, at) => page.$eval(`#${id}`, (svg, [x, y]) => {
  const point = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
  return [point.x, point.y];
}, at);
const pairOf = (a, b) => [a, b].sort().join('\t');
/** CSV without line breaks inside cells. */
const csvRows = (bytes) => bytes.toString().replace(/^\ufeff/, '').trimEnd().split('\r\n').map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1).map(([, cell]) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)));
const isQuiet = (page) => {
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(page.requests, [], 'nothing leaves the page');
};

describe('the panels', () => {
  test('are all drawn, without a complaint or a request', async () => {
    const page = await open(folders.rich());
    for (const panel of PANELS) assert.ok(await page.isVisible(`#${panel}`), panel);
    for (const figure of ['network', 'ranking', 'heatmap', 'lengths', 'gap', 'multiple-0']) {
      const box = await page.locator(`#${figure}`).boundingBox();
      assert.ok(box.width > 100 && box.height > 20, figure);
      assert.ok(await page.$eval(`#${figure}`, (svg) => svg.getAttribute('role') === 'img' && svg.querySelector('title').textContent && svg.querySelector('desc').textContent));
    }
    assert.match(await page.textContent('h1'), /20 views share \d+ of 2016 possible connections\./);
    assert.match(await page.textContent('#ranking'), /stands out/);
    assert.ok(megabytes(folders.rich()) < 2);
    await keep(page, 'wide');
    isQuiet(page);
  });

  test('fit any width, and labels do not cover each other', async () => {
    for (const [name, width] of [['wide', 1440], ['middle', 800], ['narrow', 400]]) {
      for (const folder of ['rich', 'head', 'tuned']) {
        const page = await open(folders[folder](), { width });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, `${folder} overflows at ${width}`);
        const covered = await page.$$eval('#network .label', (labels) => {
          const boxes = labels.filter((label) => label.getClientRects().length).map((label) => label.getBBox());
          const overlap = (a, b) => Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 3 && Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 4;
          return boxes.flatMap((a, i) => boxes.slice(0, i).filter((b) => overlap(a, b))).length;
        });
        assert.equal(covered, 0, `${folder} at ${width}`);
        await keep(page, `${folder}-${name}`);
        await page.context().close();
      }
    }
  });

  test('can be read on a phone', async () => {
    for (const [width, folder] of [[400, 'rich'], [400, 'runs'], [400, 'hostile'], [360, 'rich']]) {
      const page = await open(folders[folder](), { width });
      const bad = await page.$$eval('#network text, #ranking text, #gap text, #heatmap text, #lengths text', (texts) => texts.filter((text) => text.getClientRects().length).map((text) => {
        const [box, svg] = [text.getBoundingClientRect(), text.ownerSVGElement];
        const size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(svg.getScreenCTM().a, svg.getScreenCTM().b);
        const inside = svg.id === 'heatmap' || (box.left >= 0 && box.right <= innerWidth);
        return [inside && size >= 9, `${svg.id}: ${text.textContent.slice(0, 30)} ${size.toFixed(1)} px, from ${box.left.toFixed(0)} to ${box.right.toFixed(0)}`];
      }).filter(([fine]) => !fine).map(([, what]) => what));
      assert.deepEqual(bad, [], `${folder} at ${width}`);
      await page.context().close();
    }
  });

  test('nodes and edges stand out from the paper', async () => {
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(folders.rich(), { colorScheme });
      const found = await page.evaluate(() => {
        const light = (channels) => channels.map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)).reduce((sum, value, k) => sum + [0.2126, 0.7152, 0.0722][k] * value, 0);
        const rgb = (text) => text.match(/[\d.]+/g).slice(0, 3).map(Number);
        const paper = rgb(getComputedStyle(document.body).backgroundColor);
        const contrast = (colour, opacity = 1) => {
          const [one, two] = [light(colour.map((value, k) => opacity * value + (1 - opacity) * paper[k])), light(paper)].sort((x, y) => y - x);
          return (one + 0.05) / (two + 0.05);
        };
        const svg = document.querySelector('#network');
        const path = (className) => {
          const made = svg.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'path'));
          made.setAttribute('class', className);
          return getComputedStyle(made);
        };
        const nodes = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => path(`node c${k}`)).map((style) => Math.max(contrast(rgb(style.fill)), contrast(rgb(style.stroke))));
        const edges = [1, 2, 3, 4, 5, 6].map((k) => path(`edge e${k}`)).map((style) => contrast(rgb(style.stroke), Number(style.opacity)));
        return [...nodes, ...edges];
      });
      assert.ok(found.every((value) => value >= 3), `${colorScheme}: ${found.map((value) => value.toFixed(2))}`);
    }
  });

  test('can be used with scripts off', async () => {
    const page = await open(folders.rich(), { javaScriptEnabled: false });
    for (const panel of PANELS) assert.ok(await page.isVisible(`#${panel}`), panel);
    assert.equal(await page.locator('#edge-table tbody tr').count(), 100);
    assert.ok(await page.locator('#network .edge').count() > 0);
    assert.equal(await page.isVisible('#strongest'), false, 'what needs a script is not shown');
    await keep(page, 'without-scripts');
    isQuiet(page);
  });

  test('are printed', async () => {
    const page = await open(folders.rich(), { colorScheme: 'dark' });
    const pdf = await page.pdf({ format: 'A4' });
    assert.equal(pdf.subarray(0, 4).toString(), '%PDF');
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.isVisible('nav'), false);
    assert.equal(await page.$eval('body', (body) => getComputedStyle(body).backgroundColor), 'rgb(255, 255, 255)');
    await page.setViewportSize({ width: 680, height: 900 });
    await keep(page, 'print');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 680, 'A4 between its margins: wider pages would be shrunk');
    const style = (selector, key) => page.$eval(selector, (element, name) => getComputedStyle(element)[name], key);
    assert.deepEqual([await style('.head', 'breakInside'), await style('.head', 'breakAfter')], ['avoid', 'avoid'], 'a heading stays with what it heads');
    // Chromium does not paint buttons in a table's head again on the next page.
    assert.equal(await page.isVisible('th button'), false);
    assert.equal(await page.$eval('#edge-table thead', (head) => head.innerText.replace(/\s+/g, ' ').trim()), 'Node Node Consensus weight In views Mean weight');
    const tall = await page.$$eval('.keys strong', (values) => values.filter((value) => value.getBoundingClientRect().height > 1.6 * parseFloat(getComputedStyle(value).fontSize)).length);
    assert.equal(tall, 0, 'no number is broken');
    isQuiet(page);
  });

  test('fill the pages they are printed on', async () => {
    const page = await open(folders['36 views']());
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 680, height: 900 });
    const height = (selector) => page.$eval(selector, (element) => element.getBoundingClientRect().height);
    // The lower of A4 and Letter between their margins, at 96 pixels an inch.
    const paper = (279.4 - 2 * 16) / 25.4 * 96;
    const [graph, ranking] = [await height('#consensus'), await height('#group')];
    assert.ok(graph + ranking <= paper, `the graph (${graph}) and the ranking (${ranking}) share a page of ${paper}`);
    const tallest = await page.$$eval('figure', (figures) => Math.max(...figures.map((figure) => figure.getBoundingClientRect().height)));
    assert.ok(tallest <= paper / 2, `a figure of ${tallest} leaves at most half of a page empty before it`);
    const small = await page.$$eval('#heatmap .name', (names) => Math.min(...names.map((name) => parseFloat(getComputedStyle(name).fontSize) * name.ownerSVGElement.getScreenCTM().a)));
    assert.ok(small >= 5, `names can be read: ${small} px`);
    await keep(page, 'print-36-views');
    isQuiet(page);
  });

  test('have no accessibility finding', async () => {
    for (const options of [{}, { colorScheme: 'dark' }, { width: 400 }]) {
      // Many views take long to check, and are drawn alike in the dark.
      for (const folder of options.colorScheme || options.width ? ['rich', 'tuned'] : ['rich', 'tuned', '200 views', 'hostile']) {
        const page = await open(folders[folder](), options);
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
        assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.html.slice(0, 120))]), [], JSON.stringify(options));
        if (options.colorScheme) await keep(page, `${folder}-dark`);
        await page.context().close();
      }
    }
  });

  test('do not move for those who ask for it', async () => {
    const page = await open(folders.rich(), { reducedMotion: 'reduce' });
    assert.equal(await page.$eval('html', (html) => getComputedStyle(html).scrollBehavior), 'auto');
  });
});

describe('the consensus graph', () => {
  test('shows as many edges as asked for', async () => {
    const page = await open(folders.rich());
    const all = Number(await page.getAttribute('#strongest', 'max'));
    for (const n of [1, 50, all]) {
      await set(page, '#strongest', n);
      assert.equal(await segments(page, 'network'), n);
      assert.equal(await page.textContent('#strongest-shown'), `${n} of ${all}`);
    }
    await page.focus('#strongest');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await segments(page, 'network'), all - 1, 'by keyboard too');
    assert.match(await page.textContent('#network-description'), new RegExp(`joined by the ${all - 1} strongest of ${all} edges`));
    assert.equal(await page.getAttribute('#strongest', 'aria-valuetext'), `${all - 1} of ${all} edges`);
    isQuiet(page);
  });

  test('tells the edges of a node, by mouse and by keyboard', async () => {
    const page = await open(folders.rich());
    await page.locator('#network .nodes path').nth(5).scrollIntoViewIfNeeded();
    const box = await page.locator('#network .nodes path').nth(5).boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const name = await page.textContent('#node-edges h3');
    assert.equal(await page.$eval('#node', (select) => select.selectedOptions[0].textContent), name);
    const { degree } = table(folders.rich(), 'nodes.tsv').find((node) => node.name === name);
    assert.match(await page.textContent('#node-edges'), new RegExp(`^${name}${degree} edge`));
    await page.focus('#node');
    await page.keyboard.press('ArrowDown');
    assert.notEqual(await page.textContent('#node-edges h3'), name);
    await page.selectOption('#node', '');
    assert.equal(await page.locator('#node-edges h3').count(), 0);
    await page.selectOption('#node', '3');
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#node-edges h3').count(), 0, 'Escape lets it go');
    assert.equal(await page.inputValue('#node'), '');
    isQuiet(page);
  });
});

describe('the table of edges', () => {
  test('is searched, filtered and sorted, and downloaded as shown', async () => {
    const page = await open(folders.rich());
    const data = JSON.parse(await page.textContent('#data'));
    const name = data.nodes[3];
    await page.fill('#search', name);
    let found = await rows(page);
    assert.ok(found.length > 0 && found.every((row) => row.slice(0, 2).some((cell) => cell.includes(name))));
    await page.fill('#search', `${found[0][1]} ${found[0][0]}`);
    assert.deepEqual((await rows(page))[0], found[0], 'the ends either way round');
    await page.fill('#search', '');

    await page.selectOption('#share', '0.8');
    found = await rows(page);
    assert.ok(found.every((row) => Number(row[3].split(' ')[0]) >= 16));
    await page.selectOption('#share', '0');

    // The view with the most edges of its own.
    const alone = new Set(table(folders.rich(), 'edges.tsv').filter((edge) => edge.n_views === '1').map((edge) => pairOf(edge.source, edge.target)));
    const long = table(folders.rich(), 'edges_long.tsv');
    const own = data.views.map((view) => long.filter((edge) => edge.view === view && alone.has(pairOf(edge.source, edge.target))).length);
    const outlier = own.indexOf(Math.max(...own));
    await page.selectOption('#relation', 'only');
    await page.selectOption('#view', String(outlier));
    found = await rows(page);
    const expected = own[outlier];
    assert.ok(expected > 3);
    assert.match(await page.textContent('#edges-note'), new RegExp(`^${expected} of \\d+ edges match`));
    assert.ok(found.every((row) => row[3] === '1 of 20' && Number(row[5]) > 0));

    await page.click('th[data-key=m] button');
    await page.click('th[data-key=m] button');
    assert.equal(await page.getAttribute('th[data-key=m]', 'aria-sort'), 'ascending');
    found = await rows(page);
    const means = found.map((row) => Number(row[4]));
    assert.deepEqual(means, [...means].sort((x, y) => x - y));

    const { name: csv, bytes } = await download(page, '#csv');
    assert.equal(bytes.subarray(0, 3).toString('hex'), 'efbbbf', 'spreadsheets know UTF-8 by it');
    const lines = csvRows(bytes);
    assert.equal(csv, 'congraph-edges.csv');
    assert.deepEqual(lines[0], ['source', 'target', 'consensus', 'n_views', 'mean_weight', data.views[outlier]]);
    assert.equal(lines.length - 1, expected);
    assert.deepEqual(lines[1].slice(0, 2), found[0].slice(0, 2));
    isQuiet(page);
  });

  test('has the weights of the result, to the digits that it shows', async () => {
    const page = await open(folders.rich());
    const { views } = await dataOf(page);
    const long = table(folders.rich(), 'edges_long.tsv');
    const means = new Map(table(folders.rich(), 'edges.tsv').map((edge) => [pairOf(edge.source, edge.target), edge]));
    await page.selectOption('#relation', 'in');
    for (const view of [0, views.length - 1]) {
      await page.selectOption('#view', String(view));
      const own = new Map(long.filter((edge) => edge.view === views[view]).map((edge) => [pairOf(edge.source, edge.target), Number(edge.weight)]));
      const [, ...lines] = csvRows((await download(page, '#csv')).bytes);
      assert.equal(lines.length, own.size);
      for (const [source, target, consensus, n, mean, weight] of lines) {
        const pair = pairOf(source, target);
        assert.equal(Number(weight), Number(own.get(pair).toPrecision(3)), pair);
        const edge = means.get(pair);
        assert.equal(n, edge.n_views);
        for (const [read, written] of [[consensus, edge.consensus], [mean, edge.mean_weight]]) assert.ok(Math.abs(read - written) <= 1e-5 * written, pair);
      }
      const shown = await rows(page);
      for (const [source, target, , , , weight] of shown) {
        const exact = own.get(pairOf(source, target));
        assert.ok(Math.abs(Number(weight) - exact) <= 0.0051 * exact, `${source} ${target}: ${weight} for ${exact}`);
      }
    }
  });

  test('finds names of several words, and any number of words', async () => {
    const page = await open(folders.hostile());
    await page.fill('#search', 'a b');
    let found = await rows(page);
    assert.ok(found.length > 0 && found.every((row) => row.slice(0, 2).includes('a b')));
    const other = found[0].slice(0, 2).find((name) => name !== 'a b');
    await page.fill('#search', `a b ${other}`);
    found = await rows(page);
    assert.ok(found.length > 0 && found.every((row) => row.slice(0, 2).includes('a b') && row.slice(0, 2).includes(other)));
    await page.fill('#search', 'a b no such node');
    assert.equal((await rows(page)).length, 0);
  });

  test('cannot be taken for formulas', async () => {
    const page = await open(folders.hostile());
    const [, ...lines] = csvRows((await download(page, '#csv')).bytes);
    const names = lines.flatMap((line) => line.slice(0, 2));
    for (const name of ['=HYPERLINK("http://x")', '@SUM(A1)', '+1-2', '-x']) {
      assert.ok(names.includes(`'${name}`) && !names.includes(name), name);
    }
    assert.ok(lines.every((line) => line.slice(2).every((number) => Number(number) >= 0)), 'numbers stay numbers');
  });

  test('says what it does not hold', async () => {
    const page = await open(folders.part());
    const all = table(folders.part(), 'edges.tsv');
    const held = Number(await page.getAttribute('#strongest', 'max'));
    assert.ok(held < all.length, 'else this tests nothing');
    assert.match(await page.textContent('#strongest-shown'), new RegExp(`of ${all.length}; the page holds the heaviest ${held}$`));
    assert.match(await page.textContent('#edges-note'), new RegExp(`^The heaviest ${held} of ${all.length} edges are in this page, 100 shown; edges.tsv holds all`));
    const { nodes, views } = await dataOf(page);
    await page.selectOption('#node', '0');
    const { degree } = table(folders.part(), 'nodes.tsv').find((node) => node.name === nodes[0]);
    assert.match(await page.textContent('#node-edges'), new RegExp(`^${nodes[0]}${degree} edges.*of them are in this page; edges.tsv holds all`));
    const own = Number(table(folders.part(), 'views.tsv')[0].n_edges);
    await page.selectOption('#relation', 'in');
    await page.selectOption('#view', '0');
    const note = await page.textContent('#edges-note');
    assert.ok(note.includes(`Of all ${all.length}, ${own} are in ${views[0]}.`) && note.includes(`The other ${all.length - held} are not in this page`), note);
    const still = await open(folders.part(), { javaScriptEnabled: false });
    assert.match(await still.textContent('#edges-note'), new RegExp(`The page holds the heaviest ${held}; edges.tsv holds all`));
    assert.ok(megabytes(folders.part()) < 10);
    isQuiet(page);
  });

  test('offers more only if there is more', async () => {
    const page = await open(folders['one view']());
    assert.equal(await page.isVisible('#more'), false);
  });

  test('grows', async () => {
    const page = await open(folders.rich());
    const before = (await rows(page)).length;
    await page.click('#more');
    assert.ok((await rows(page)).length > before);
  });
});

describe('the other panels', () => {
  test('figures are downloaded as drawings of their own', async () => {
    const page = await open(folders.rich());
    const figure = 'figure[data-name=consensus]';
    const svg = await download(page, `${figure} [data-download=svg]`);
    const text = svg.bytes.toString();
    assert.equal(svg.name, 'congraph-consensus.svg');
    assert.ok(text.startsWith('<svg') && text.includes('stroke-width') && !text.includes('var('));
    const parsed = await page.evaluate((xml) => new DOMParser().parseFromString(xml, 'image/svg+xml').querySelector('parsererror')?.textContent, text);
    assert.equal(parsed, undefined);
    const png = await download(page, `${figure} [data-download=png]`);
    assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
    assert.ok(png.bytes.readUInt32BE(16) >= 1500, 'wide enough to print');
    isQuiet(page);
  });

  test('figures are downloaded whole, at any width', async () => {
    const labels = [];
    for (const width of [1440, 400]) {
      const page = await open(folders.rich(), { width });
      const heat = await download(page, 'figure[data-name=similarity] [data-download=svg]');
      assert.match(heat.bytes.toString(), /shape-rendering: ?crispedges/i);
      for (const { bytes } of [heat, await download(page, 'figure[data-name=consensus] [data-download=svg]')]) {
        const outside = await page.evaluate((xml) => {
          const drawing = document.body.appendChild(document.createElement('div'));
          drawing.innerHTML = xml;
          const svg = drawing.querySelector('svg');
          const [x, y, w, h] = svg.getAttribute('viewBox').split(' ').map(Number);
          const box = svg.getBBox();
          const shown = [...svg.querySelectorAll('.label')].filter((label) => label.getClientRects().length).length;
          drawing.remove();
          const slack = 0.01; // getBBox has single precision
          return [box.x < x - slack || box.y < y - slack || box.x + box.width > x + w + slack || box.y + box.height > y + h + slack ? [x, y, w, h, box.x, box.y, box.width, box.height].join(' ') : '', shown];
        }, bytes.toString());
        assert.equal(outside[0], '', `cut at ${width}`);
        labels.push(outside[1]);
      }
      await page.context().close();
    }
    assert.deepEqual(labels.slice(0, 2), labels.slice(2), 'as many names on a phone');
  });

  test('the similarity map is read by pointer, tap, arrow keys and names', async () => {
    const page = await open(folders['200 views'](), { hasTouch: true });
    const { left, top, cell, order, values } = (await dataOf(page)).similarities;
    const read = () => page.textContent('#similarity-readout');
    const at = (row, column) => values[order[row]][order[column]].toFixed(3);
    assert.equal(await read(), at(0, 1));
    await page.locator('#heatmap').scrollIntoViewIfNeeded();
    await page.mouse.move(...await pointOf(page, 'heatmap', [left + 2.5 * cell, top + 0.5 * cell]));
    assert.equal(await read(), at(0, 2));
    await page.touchscreen.tap(...await pointOf(page, 'heatmap', [left + 30.5 * cell, top + 4.5 * cell]));
    assert.equal(await read(), at(4, 30));
    await page.focus('#heatmap-region');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    assert.equal(await read(), at(5, 31));
    await page.selectOption('#similarity-one', '7');
    assert.equal(await read(), at(7, 31));
    isQuiet(page);
  });

  test('many views are all there, with scripts or without', async () => {
    const page = await open(folders['200 views'](), { javaScriptEnabled: false });
    assert.equal(await page.locator('#ranking-table tbody tr').count(), 200);
    assert.equal(await page.locator('#similarity-each tbody tr').count(), 200);
    assert.equal(await page.locator('.lists .listed tbody tr').count(), 16);
    const dots = await page.$$eval('#ranking .all', (paths) => paths.map((path) => path.getAttribute('d').split('M').length - 1));
    assert.equal(dots.reduce((x, y) => x + y), 200);
  });

  test('the dials redraw the consensus', async () => {
    const page = await open(folders.tuned());
    const first = await segments(page, 'dial');
    assert.match(await page.textContent('#dial-shown'), new RegExp(`: ${first} shared edges, the choice`), 'as many as are drawn');
    assert.ok((await page.textContent('#dial-description')).includes(`${first} shared edges`));
    await set(page, '#dial-density', 0);
    const { densities } = (await dataOf(page)).path;
    assert.equal(await page.getAttribute('#dial-density', 'aria-valuetext'), `density ${densities[0]}`);
    assert.ok((await page.textContent('#dial-description')).includes(`${await segments(page, 'dial')} shared edge`));
    const sparse = await segments(page, 'dial');
    await set(page, '#dial-density', await page.getAttribute('#dial-density', 'max'));
    const dense = await segments(page, 'dial');
    assert.ok(sparse < dense && first > 0, `${sparse} < ${dense}`);
    const { corner, cell } = JSON.parse(await page.textContent('#data')).path;
    const point = await page.$eval('#path-map', (svg, [x, y]) => {
      const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
      svg.dispatchEvent(new MouseEvent('click', { clientX: at.x, clientY: at.y }));
    }, [corner[0] + cell[0] / 2, corner[1] + cell[1] / 2]);
    assert.equal(point, undefined);
    assert.ok(await segments(page, 'dial') < dense);
    assert.ok(megabytes(folders.tuned()) < 6);
    isQuiet(page);
  });

  test('the methods are copied', async () => {
    const page = await open(folders.rich());
    await page.click('#copy');
    assert.equal(await page.textContent('#copy'), 'Copied');
  });
});

describe('what is unusual', () => {
  test('names are shown as they are, and do nothing', async () => {
    const page = await open(folders.hostile());
    await page.selectOption('#node', '2');
    await page.selectOption('#relation', 'in');
    // An alert would hold the page up, and a script would leave its mark.
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    const text = await page.textContent('#edges');
    for (const name of HOSTILE) assert.ok(text.includes(name.replace('\u202e', '\ufffd')), name);
    const turned = await page.evaluate(() => { document.getElementById('data').remove(); return /[\u202a-\u202e\u2066\u2067]/.test(document.documentElement.outerHTML); });
    assert.equal(turned, false, 'no name turns the text around it');
    assert.ok(await page.$$eval('#edge-table tbody td:nth-child(-n+2)', (cells) => cells.every((cell) => cell.firstElementChild.tagName === 'BDI')));
    assert.ok((await page.textContent('#quality')).includes('<script>alert(1)</script>'));
    for (const width of [1440, 400]) {
      await page.setViewportSize({ width, height: 900 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
    }
    const svg = await download(page, 'figure[data-name=consensus] [data-download=svg]');
    assert.ok(!svg.bytes.toString().includes('<script'));
    await keep(page, 'hostile');
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 720, height: 900 });
    const widths = await page.$$eval('.multiples figure', (figures) => figures.map((figure) => Math.round(figure.getBoundingClientRect().width)));
    assert.ok(Math.max(...widths) - Math.min(...widths) <= 1, `a long name takes no room from others: ${widths}`);
    isQuiet(page);
  });

  test('long names can be told apart', async () => {
    const page = await open(folders.runs());
    const names = (selector) => page.$$eval(selector, (texts) => texts.map((text) => text.textContent));
    for (const selector of ['#ranking .name', '#heatmap .name.end']) {
      const found = await names(selector);
      assert.deepEqual([...found].sort(), RUNS.map((run) => `…${run.split('_').at(-1)}`));
    }
    const runs = (await page.textContent('h1')).match(/run-\d/g);
    assert.ok(runs.length === 2 && runs[0] !== runs[1]);
  });

  test('an empty consensus offers nothing to click, and is not drawn as a strip', async () => {
    const page = await open(folders['empty consensus']());
    assert.equal(await page.locator('#node-edges').count(), 0);
    assert.ok(!/Click a node/.test(await page.innerText('#consensus')));
    const box = await page.$eval('#multiple-0 .added', (path) => { const { width, height } = path.getBBox(); return { width, height }; });
    assert.ok(box.height > 0.4 * box.width, `${box.width} × ${box.height}`);
  });

  for (const folder of ['empty consensus', 'one view', 'two nodes', 'parts and unnamed nodes', '200 views', 'head', 'masked', 'projection', 'lasso']) {
    test(`${folder}: still a sensible report`, async () => {
      const page = await open(folders[folder]());
      assert.ok((await page.textContent('h1')).length > 30);
      for (const panel of ['consensus', 'edges', 'methods', 'limits']) assert.ok(await page.isVisible(`#${panel}`));
      assert.ok(!/NaN|undefined|Infinity/.test(await page.innerText('body')));
      assert.ok(!/NaN|Infinity/.test(await page.$$eval('svg', (drawings) => drawings.map((svg) => svg.outerHTML).join(''))));
      assert.ok(megabytes(folders[folder]()) < 2);
      await keep(page, folder.replaceAll(' ', '-'));
      isQuiet(page);
    });
  }

  test('a new view is shown beside the frozen consensus', async () => {
    const page = await open(folders.projection());
    assert.match(await page.textContent('h1'), /late has \d+ of 15 possible connections: \d+ of the \d+ of the frozen consensus/);
    assert.match(await page.title(), /^congraph: projection, 1 new view, 6 nodes, \d{4}-\d\d-\d\d$/);
    for (const figure of ['ranking', 'multiple-0']) assert.ok(await page.isVisible(`#${figure}`), figure);
    assert.equal(await page.locator('#heatmap').count(), 0);
    isQuiet(page);
  });

  test('1000 nodes can still be used', async () => {
    const page = await open(folders.large());
    assert.ok(megabytes(folders.large()) < 10);
    const all = Number(await page.getAttribute('#strongest', 'max'));
    await set(page, '#strongest', all);
    assert.equal(await segments(page, 'network'), all);
    assert.ok(await page.locator('svg *').count() < 4000, 'few elements, whatever the number of edges');
    await keep(page, 'large');
    isQuiet(page);
  });
});

describe('signed graphs', () => {
  test('have negative edges that are dashed, explained and shown with their signs', async () => {
    const page = await open(folders.signed());
    assert.match(await page.textContent('h1'), /4 views share \d+ of 435 possible connections, \d+ positive and \d+ negative\./);
    // A line has no height, so that it is its group that can be seen.
    assert.ok(await page.isVisible('#network .key'));
    assert.equal((await page.$$('#network .key .key-line.negative')).length, 1);
    assert.match(await page.textContent('#network .key'), /negative: opposite signals/);
    const look = (selector) => page.$eval(selector, (path) => { const style = getComputedStyle(path); return [style.stroke, style.strokeDasharray]; });
    const [positive, negative] = [await look('#network .edge.e4:not(.negative)'), await look('#network .edge.negative.e4')];
    assert.notEqual(positive[0], negative[0]);
    assert.equal(positive[1], 'none');
    assert.notEqual(negative[1], 'none');
    const data = await dataOf(page);
    const edges = table(folders.signed(), 'edges.tsv').filter((edge) => Number(edge.consensus) !== 0);
    await set(page, '#strongest', data.shared_edges);
    assert.equal(await segments(page, 'network'), edges.length);
    const dashed = await page.$$eval('#network .edge.negative', (paths) => paths.map((path) => path.getAttribute('d').split('M').length - 1).reduce((x, y) => x + y, 0));
    assert.equal(dashed, edges.filter((edge) => Number(edge.consensus) < 0).length);
    // The heaviest first, whatever the sign; a view's own weights have theirs.
    const weights = (await rows(page)).map((cells) => Number(cells[2]));
    assert.ok(weights.some((weight) => weight < 0));
    assert.deepEqual(weights.map(Math.abs), weights.map(Math.abs).sort((x, y) => y - x));
    await page.selectOption('#relation', 'in');
    assert.ok((await rows(page)).some((cells) => Number(cells[5]) < 0));
    const node = data.nodes.indexOf(edges.find((edge) => Number(edge.consensus) < 0).source);
    await page.selectOption('#node', String(node));
    assert.notEqual(await page.getAttribute('#network .chosen-negative', 'd'), '');
    for (const width of [1440, 420]) {
      const other = await open(folders.signed(), { width });
      assert.ok(await other.evaluate(() => document.documentElement.scrollWidth) <= width);
      await keep(other, `signed-${width}`);
    }
    isQuiet(page);
  });

  test('are not spoken of where there are none', async () => {
    const page = await open(folders.head());
    assert.equal(await page.$('.negative'), null);
    assert.equal((await dataOf(page)).edges.s, undefined);
  });
});

describe('how sure each edge is', () => {
  const solid = (page, kind) => page.$$eval(`#sure .${kind}`, (paths) => paths.map((path) => path.getAttribute('d').split('M').length - 1).reduce((x, y) => x + y, 0));

  test('is in the headline, the drawing and the table', async () => {
    const page = await open(folders.sure());
    const edges = table(folders.sure(), 'edges.tsv').filter((edge) => Number(edge.consensus) > 0);
    const supported = edges.filter((edge) => edge.q_direct !== '' && Number(edge.q_direct) <= 0.05).length;
    const words = `${supported} of ${edges.length} edges are supported (q_direct \u2264 0.05)`;
    assert.ok((await page.textContent('h1')).includes(words), await page.textContent('h1'));
    assert.ok((await page.textContent('#there .finding')).includes(words));
    assert.deepEqual([await solid(page, 'sure'), await solid(page, 'unsure')], [supported, edges.length - supported]);
    assert.equal(await page.locator('#sure-table tbody tr').count(), edges.length);
    assert.equal(await page.locator('#sure-table .mark').count(), supported);
    assert.match(await page.textContent('#chance-picks'), /at most [\d.]+ of these \d+ edges? (is|are) expected to be chance picks of the halving/);
    assert.doesNotMatch(await page.textContent('body'), /false edges/);
    isQuiet(page);
  });

  test('is chosen by a slider, with the keyboard too', async () => {
    const page = await open(folders.sure());
    const edges = table(folders.sure(), 'edges.tsv').filter((edge) => Number(edge.consensus) > 0);
    await set(page, '#sure-least', 80);
    const left = edges.filter((edge) => Number(edge.replicates) >= 0.8 - 1e-6).length;
    assert.equal(await solid(page, 'sure') + await solid(page, 'unsure'), left);
    assert.equal(await page.locator('#sure-table tbody tr').count(), left);
    assert.match(await page.textContent('#sure-shown'), new RegExp(`^0\\.80: ${left} of ${edges.length} edges`));
    await page.focus('#sure-least');
    await page.keyboard.press('ArrowRight');
    assert.match(await page.getAttribute('#sure-least', 'aria-valuetext'), /^0\.85: /);
    isQuiet(page);
  });

  test('and who differs can be read with scripts off, on paper, on a phone, in the dark', async () => {
    const still = await open(folders.sure(), { javaScriptEnabled: false });
    for (const panel of ['there', 'how-sure', 'sure', 'sure-table', 'calibration', 'compared', 'groups', 'compare-edges', 'null']) assert.ok(await still.isVisible(`#${panel}`), panel);
    assert.equal(await still.isVisible('#sure-least'), false);
    await still.emulateMedia({ media: 'print' });
    await still.setViewportSize({ width: 680, height: 900 });
    assert.ok(await still.isVisible('#sure') && await still.isVisible('#sure-table') && await still.isVisible('#compare-edges'));
    assert.ok(await still.evaluate(() => document.documentElement.scrollWidth) <= 680);
    for (const options of [{}, { colorScheme: 'dark' }, { width: 800 }, { width: 400 }]) {
      const page = await open(folders.sure(), options);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= (options.width ?? 1440));
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
      assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 120)]), [], JSON.stringify(options));
      await keep(page, `sure-${options.width ?? options.colorScheme ?? 'wide'}`);
      await page.context().close();
    }
  });

  test('lines of different kinds differ by more than colour', async () => {
    const page = await open(folders.sure());
    const dash = (selector) => page.$eval(selector, (path) => getComputedStyle(path).strokeDasharray);
    assert.equal(await dash('#how-sure .legend .sure'), 'none');
    assert.notEqual(await dash('#how-sure .legend .unsure'), 'none');
    assert.equal(await dash('#compared .legend .more'), 'none');
    assert.notEqual(await dash('#compared .legend .less'), 'none');
  });
});

describe('subjects of two levels', () => {
  test('have a drawing and a row each', async () => {
    const page = await open(folders.subjects());
    const subjects = table(folders.subjects(), 'subjects.tsv');
    assert.equal(await page.locator('#subjects .multiples figure').count(), subjects.length);
    assert.equal(await page.locator('#subject-table tbody tr').count(), subjects.length);
    assert.match(await page.textContent('#methods'), /views of one subject are coupled to the subject's own graph/);
    await keep(page, 'subjects');
    isQuiet(page);
  });
});
