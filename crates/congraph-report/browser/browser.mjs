// One Chromium for all tests, pages that note what they complain of and what they ask for, and screenshots kept.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const shots = path.resolve(process.env.SCREENSHOTS ?? '../../../target/report-screenshots');
fs.mkdirSync(shots, { recursive: true });

let browser;
export const start = async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: FLAGS });
};
export const stop = () => browser.close();

/** A page on a report; `complaints` and `requests` fill up while it lives. */
export async function open(report, { width = 1440, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.requests = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text()); });
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) page.requests.push(request.url()); });
  await page.goto(pathToFileURL(report).href);
  return page;
}

export const keep = (page, name) => page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });

/** What a click downloads, as bytes. */
export async function download(page, selector) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(selector)]);
  return { name: download.suggestedFilename(), bytes: fs.readFileSync(await download.path()) };
}
