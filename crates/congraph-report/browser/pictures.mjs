// Pictures of a report for the documentation: node pictures.mjs REPORT.html FOLDER
import fs from 'node:fs';
import path from 'node:path';
import { open, start, stop } from './browser.mjs';

const [report, folder] = process.argv.slice(2).map((word) => path.resolve(word));
fs.mkdirSync(folder, { recursive: true });
await start();
for (const [name, selectors] of [
  ['report', ['#verdict', '#consensus']],
  ['report-views', ['#group', '#differences']],
]) {
  const page = await open(report, { width: 1180 });
  await page.addStyleTag({ content: 'body { padding-bottom: 0 } .beside { grid-template-columns: minmax(0, 1fr) !important } .scripted .aside.needs-script { display: none !important }' });
  const boxes = await Promise.all(selectors.map((selector) => page.locator(selector).boundingBox()));
  const top = Math.min(...boxes.map((box) => box.y));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true, clip: { x: 0, y: top, width: 1180, height: bottom - top } });
}
await stop();
