import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';

import { download, keep, open, start, stop } from './browser.mjs';
import { HOSTILE, folders, megabytes } from './folders.mjs';

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
    await page.setViewportSize({ width: 720, height: 900 });
    await keep(page, 'print');
    isQuiet(page);
  });

  test('have no serious accessibility finding', async () => {
    for (const options of [{}, { colorScheme: 'dark' }, { width: 400 }]) {
      for (const folder of ['rich', 'tuned']) {
        const page = await open(folders[folder](), options);
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run());
        const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
        assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.html.slice(0, 120))]), [], JSON.stringify(options));
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
    isQuiet(page);
  });

  test('tells the edges of a node, by mouse and by keyboard', async () => {
    const page = await open(folders.rich());
    await page.locator('#network .nodes path').nth(5).scrollIntoViewIfNeeded();
    const box = await page.locator('#network .nodes path').nth(5).boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const name = await page.textContent('#node-edges h3');
    assert.equal(await page.$eval('#node', (select) => select.selectedOptions[0].textContent), name);
    const data = JSON.parse(await page.textContent('#data'));
    const node = data.nodes.indexOf(name);
    const own = data.edges.w.filter((weight, k) => weight > 0 && [data.edges.a[k], data.edges.b[k]].includes(node)).length;
    assert.match(await page.textContent('#node-edges'), new RegExp(`${own} edge`));
    await page.focus('#node');
    await page.keyboard.press('ArrowDown');
    assert.notEqual(await page.textContent('#node-edges h3'), name);
    await page.selectOption('#node', '');
    assert.equal(await page.locator('#node-edges h3').count(), 0);
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
    const own = data.views.map((_, view) => data.edges.n.filter((n, k) => n === 1 && data.edges.v[k * data.views.length + view] > 0).length);
    const outlier = own.indexOf(Math.max(...own));
    await page.selectOption('#relation', 'only');
    await page.selectOption('#view', String(outlier));
    found = await rows(page);
    const expected = own[outlier];
    assert.ok(expected > 3);
    assert.match(await page.textContent('#edges-note'), new RegExp(`^(\\d+ shown of )?${expected} `));
    assert.ok(found.every((row) => row[3] === '1 of 20' && Number(row[5]) > 0));

    await page.click('th[data-key=m] button');
    await page.click('th[data-key=m] button');
    assert.equal(await page.getAttribute('th[data-key=m]', 'aria-sort'), 'ascending');
    found = await rows(page);
    const means = found.map((row) => Number(row[4]));
    assert.deepEqual(means, [...means].sort((x, y) => x - y));

    const { name: csv, bytes } = await download(page, '#csv');
    const lines = bytes.toString().trimEnd().split('\r\n');
    assert.equal(csv, 'congraph-edges.csv');
    assert.deepEqual(lines[0].split(','), ['source', 'target', 'consensus', 'n_views', 'mean_weight', data.views[outlier]]);
    assert.equal(lines.length - 1, expected);
    assert.deepEqual(lines[1].split(',').slice(0, 2), found[0].slice(0, 2));
    isQuiet(page);
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

  test('the similarity map is read under the pointer', async () => {
    const page = await open(folders.rich());
    await page.locator('#heatmap').scrollIntoViewIfNeeded();
    const { left, top, cell, order, values } = JSON.parse(await page.textContent('#data')).similarities;
    const point = await page.$eval('#heatmap', (svg, [x, y]) => {
      const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
      return [at.x, at.y];
    }, [left + 2.5 * cell, top + 0.5 * cell]);
    await page.mouse.move(...point);
    assert.ok((await page.textContent('#similarity-readout')).endsWith(values[order[0]][order[2]].toFixed(3)));
  });

  test('the dials redraw the consensus', async () => {
    const page = await open(folders.tuned());
    const first = await segments(page, 'dial');
    assert.match(await page.textContent('#dial-shown'), /the choice/);
    await set(page, '#dial-density', 0);
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
    for (const name of HOSTILE) assert.ok(text.includes(name), name);
    assert.ok((await page.textContent('#quality')).includes('<script>alert(1)</script>'));
    for (const width of [1440, 400]) {
      await page.setViewportSize({ width, height: 900 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
    }
    const svg = await download(page, 'figure[data-name=consensus] [data-download=svg]');
    assert.ok(!svg.bytes.toString().includes('<script'));
    await keep(page, 'hostile');
    isQuiet(page);
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
