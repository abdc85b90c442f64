// How large reports are, how long they take to write, and how long until they can be used: node measure.mjs
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { open, start, stop } from './browser.mjs';
import { folders, megabytes } from './folders.mjs';

const congraph = path.resolve(process.env.CONGRAPH ?? '../../../target/debug/congraph');
await start();
for (const [name, folder] of [['20 views × 64 nodes', 'rich'], ['a path, 3 views × 20 nodes', 'tuned'], ['200 views × 12 nodes', '200 views'], ['6 views × 1000 nodes', 'large']]) {
  const report = folders[folder]();
  const before = performance.now();
  execFileSync(congraph, ['report', path.dirname(report), '--quiet']);
  const written = performance.now() - before;
  const page = await open(report);
  // The scripts are the last of the page: once it is loaded they have run.
  const usable = await page.evaluate(() => performance.getEntriesByType('navigation')[0].loadEventStart);
  const drawn = await page.evaluate(async () => {
    const slider = document.getElementById('strongest');
    const start = performance.now();
    slider.value = slider.max;
    slider.dispatchEvent(new Event('input'));
    await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
    return performance.now() - start;
  });
  console.log(`${name}: ${megabytes(report).toFixed(2)} MB, written in ${(written / 1000).toFixed(2)} s, usable after ${(usable / 1000).toFixed(2)} s, all edges redrawn in ${drawn.toFixed(0)} ms`);
  await page.context().close();
}
await stop();
