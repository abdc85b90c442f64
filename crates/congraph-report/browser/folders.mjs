// Result folders to report on, made by the real program.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const CONGRAPH = path.resolve(process.env.CONGRAPH ?? '../../../target/debug/congraph');
const place = fs.mkdtempSync(path.join(os.tmpdir(), 'congraph-report-'));
process.on('exit', () => fs.rmSync(place, { recursive: true, force: true }));

const congraph = (...words) => execFileSync(CONGRAPH, [...words, '--quiet'], { cwd: place, stdio: ['ignore', 'pipe', 'inherit'] });
const words = (line) => line.split(' ');
const file = (name) => path.join(place, name);
const csvs = (folder) => fs.readdirSync(file(folder)).filter((name) => name.endsWith('.csv')).map((name) => `${folder}/${name}`);

/** Columns added to a table of the folder, by node name. */
function addColumns(folder, names, cells) {
  const lines = fs.readFileSync(file(`${folder}/nodes.tsv`), 'utf8').trimEnd().split('\n');
  const [head, ...rows] = lines.map((line) => line.split('\t'));
  head.push(...names);
  rows.forEach((row, k) => row.push(...cells(row[0], k)));
  fs.writeFileSync(file(`${folder}/nodes.tsv`), [head, ...rows].map((row) => row.join('\t')).join('\n') + '\n');
}

/** Deterministic numbers that look random. */
function noise(seed, rows, columns) {
  let state = seed;
  const next = () => { state = (state * 1103515245 + 12345) % 2147483648; return state / 1073741824 - 1; };
  return Array.from({ length: rows }, () => {
    const common = next();
    return Array.from({ length: columns }, () => common + next());
  });
}

function write(name, head, seed, rows = 60) {
  const quoted = (cell) => `"${cell.replaceAll('"', '""')}"`;
  const lines = noise(seed, rows, head.length).map((row) => row.join(','));
  fs.writeFileSync(file(name), [head.map(quoted).join(','), ...lines].join('\n') + '\n');
}

const made = {};
const once = (name, make) => () => { made[name] ??= (make(name), file(`${name}/report.html`)); return made[name]; };

/** Names that would do harm, or break a drawing, if they were not escaped. */
export const HOSTILE = [
  '<script>window.hacked=1</script>', '</script><script>window.hacked=1</script>', '"><img src=x onerror=window.hacked=1>',
  "' onmouseover='window.hacked=1", '&lt;b&gt; & <!-- -->', '🧠🧪 émoji', 'x'.repeat(300), '{{ 7*7 }} {% raw %}',
  '=HYPERLINK("http://x")', '@SUM(A1)', '+1-2', '-x', 'a b', 'a\u202eevil', 'שלום עולם',
];

/** Names of views that only their ends tell apart. */
export const RUNS = [1, 2, 3].map((run) => `sub-01_ses-baseline_task-rest_run-${run}`);

export const folders = {
  /** 20 views × 64 nodes on a map, one view unlike the others, with communities. */
  rich: once('rich', (name) => {
    congraph(...words('simulate --graph rgg --nodes 64 --views 20 --signals 150 --added 0.6 --changed-views 1 --same-views -o sim'));
    congraph('learn', ...csvs('sim'), '-o', name);
    const truth = new Map(fs.readFileSync(file('sim/truth/nodes.tsv'), 'utf8').trimEnd().split('\n').slice(1).map((line) => {
      const cells = line.split('\t');
      return [cells[0], cells.slice(-2)];
    }));
    addColumns(name, ['x', 'y'], (node) => truth.get(node));
    congraph(...words(`communities ${name} --runs 10`));
  }),
  /** A path. */
  tuned: once('tuned', (name) => {
    congraph(...words('simulate --nodes 20 --views 3 --signals 100 -o sim-tuned'));
    congraph('tune', ...csvs('sim-tuned'), '--halvings', '2', '-o', name);
  }),
  /** Electrodes on a head. */
  head: once('head', (name) => {
    congraph(...words('simulate --nodes 32 --views 4 --signals 100 -o sim-head'));
    congraph('learn', ...csvs('sim-head'), '-o', name);
    addColumns(name, ['x', 'y', 'z'], (_, k) => {
      const [up, around] = [0.1 * (1 - k / 34), 2.4 * k];
      const across = Math.sqrt(Math.max(0, 0.01 - up * up));
      return [across * Math.cos(around), across * Math.sin(around), up];
    });
    congraph('report', name);
  }),
  hostile: once('hostile', (name) => {
    ['a', 'b', 'c'].forEach((view, k) => write(`${view}.csv`, HOSTILE, k + 1));
    congraph('learn', '<script>alert(1)</script>=a.csv', '"><b onclick>&amp;=b.csv', `${'v'.repeat(300)}=c.csv`, '--density', '0.5', '-o', name);
  }),
  /** Names that are cut, on a page of their own. */
  runs: once('runs', (name) => {
    RUNS.forEach((view, k) => write(`${view}.csv`, ['p', 'q', 'r', 's', 't'], k + 31));
    congraph('learn', ...RUNS.map((view) => `${view}.csv`), '--density', '0.5', '-o', name);
  }),
  /** More edges than a page holds. */
  part: once('part', (name) => {
    congraph(...words('simulate --nodes 145 --views 200 --signals 12 -o sim-part'));
    congraph('learn', ...csvs('sim-part'), ...words('--alpha 2 --beta 0.05 -o'), name);
  }),
  'empty consensus': once('none', (name) => {
    congraph(...words('simulate --nodes 40 --views 2 --signals 100 -o sim-none'));
    congraph('learn', ...csvs('sim-none'), ...words('--alpha 0.1 --beta 0.01 --gamma 100 --penalty l2 -o'), name);
  }),
  'one view': once('one', (name) => {
    write('f.csv', ['p', 'q', 'r', 's', 't'], 11);
    congraph('learn', 'f.csv', '--single', '--density', '0.4', '-o', name);
  }),
  'two nodes': once('two', (name) => {
    ['g', 'h'].forEach((view, k) => write(`${view}.csv`, ['left', 'right'], k + 13));
    congraph('learn', 'g.csv', 'h.csv', ...words('--alpha 0.1 --beta 0.1 -o'), name);
  }),
  'parts and unnamed nodes': once('parts', (name) => {
    ['i', 'j', 'k'].forEach((view, k) => fs.writeFileSync(file(`${view}.csv`), noise(k + 17, 40, 30).map((row) => row.join(',')).join('\n')));
    congraph('learn', 'i.csv', 'j.csv', 'k.csv', ...words('--header no --alpha 0.001 --beta 0.005 -o'), name);
  }),
  '200 views': once('crowd', (name) => {
    congraph(...words('simulate --nodes 12 --views 200 --signals 30 --edge-probability 0.3 -o sim-crowd'));
    congraph('learn', ...csvs('sim-crowd'), '-o', name);
  }),
  '36 views': once('years', (name) => {
    congraph(...words('simulate --nodes 20 --views 36 --signals 60 --edge-probability 0.15 -o sim-years'));
    congraph('learn', ...csvs('sim-years'), '-o', name);
  }),
  /** Two of four views lack a node. */
  masked: once('masked', (name) => {
    [['p', 'q', 'r', 's', 't'], ['p', 'q', 'r', 's'], ['q', 'r', 's', 't'], ['p', 'q', 'r', 's', 't']].forEach((nodes, k) => write(`m${k}.csv`, nodes, k + 19));
    congraph('learn', 'm0.csv', 'm1.csv', 'm2.csv', 'm3.csv', ...words('--missing mask --density 0.5 -o'), name);
  }),
  /** A new view against a frozen consensus. */
  projection: once('projection', (name) => {
    ['n0', 'n1', 'n2'].forEach((view, k) => write(`${view}.csv`, ['p', 'q', 'r', 's', 't', 'u'], k + 29));
    congraph('learn', 'n0.csv', 'n1.csv', ...words('--density 0.4 -o frozen'));
    congraph('project', 'frozen', '--view', 'late=n2.csv', '-o', name);
    congraph('report', name);
  }),
  /** Precision matrices. */
  lasso: once('lasso', (name) => {
    ['l0', 'l1'].forEach((view, k) => write(`${view}.csv`, ['p', 'q', 'r', 's', 't', 'u'], k + 37));
    congraph('learn', 'l0.csv', 'l1.csv', ...words('--method jgl-group --lambda1 0.1 --lambda2 0.05 -o'), name);
  }),
  /** Every third pair of nodes turned negative. */
  signed: once('signed', (name) => {
    congraph(...words('simulate --nodes 30 --views 4 --signals 100 -o sim-signed'));
    congraph('learn', ...csvs('sim-signed'), '-o', name);
    // Without its list of files a folder is read as it is.
    const summary = JSON.parse(fs.readFileSync(file(`${name}/summary.json`), 'utf8'));
    for (const key of ['run', 'files', 'node_names']) delete summary[key];
    fs.writeFileSync(file(`${name}/summary.json`), JSON.stringify(summary));
    for (const [tsv, first, weight] of [['edges.tsv', 0, 2], ['edges_long.tsv', 1, 3]]) {
      const lines = fs.readFileSync(file(`${name}/${tsv}`), 'utf8').trimEnd().split('\n').map((line) => line.split('\t'));
      lines.slice(1).forEach((cells) => {
        const sum = [...`${cells[first]}${cells[first + 1]}`].reduce((all, mark) => all + mark.charCodeAt(0), 0);
        if (sum % 3 === 0 && Number(cells[weight]) > 0) cells[weight] = `-${cells[weight]}`;
      });
      fs.writeFileSync(file(`${name}/${tsv}`), `${lines.map((cells) => cells.join('\t')).join('\n')}\n`);
    }
    congraph('report', name);
  }),
  /** How sure each edge is, and two groups of views compared: eight of sixteen views have further edges. */
  sure: once('sure', (name) => {
    congraph(...words('simulate --graph rgg --nodes 24 --views 16 --signals 160 --added 0.4 --changed-views 8 --same-views -o sim-sure'));
    for (const view of csvs('sim-sure')) {
      const [head, ...lines] = fs.readFileSync(file(view), 'utf8').trimEnd().split('\n');
      fs.writeFileSync(file(view), [`trial,${head}`, ...lines.map((line, k) => `t${Math.floor(k / 16)},${line}`)].join('\n') + '\n');
    }
    congraph('learn', ...csvs('sim-sure'), ...words('--block-column trial --density 0.15 -o'), name);
    congraph('stability', name, '--pairs', '20');
    const views = table(file(`${name}/report.html`), 'views.tsv');
    const far = views.map((view) => Number(view.uniqueness)).sort((x, y) => x - y)[8];
    fs.writeFileSync(file('groups.tsv'), ['view\tgroup', ...views.map((view) => `${view.name}\t${Number(view.uniqueness) >= far ? 'far' : 'near'}`)].join('\n') + '\n');
    congraph('compare', name, ...words('--labels groups.tsv:group --nbs 2.5 --permutations 500'));
  }),
  /** Two conditions of four subjects, on two levels. */
  subjects: once('subjects', (name) => {
    congraph(...words('simulate --nodes 12 --views 8 --signals 80 -o sim-subjects'));
    const views = csvs('sim-subjects');
    const lines = views.flatMap((view, k) => {
      const [head, ...rows] = fs.readFileSync(file(view), 'utf8').trimEnd().split('\n');
      return [...(k ? [] : [`subject,condition,${head}`]), ...rows.map((row) => `s${k >> 1},${k % 2 ? 'task' : 'rest'},${row}`)];
    });
    fs.writeFileSync(file('subjects.csv'), `${lines.join('\n')}\n`);
    congraph('learn', 'subjects.csv', ...words('--subject-column subject --condition-column condition --density 0.25 -o'), name);
  }),
  /** 1000 nodes × 6 views. */
  large: once('large', (name) => {
    congraph(...words('simulate --graph rgg --nodes 1000 --views 6 --signals 100 -o sim-large'));
    congraph('learn', ...csvs('sim-large'), '-o', name);
  }),
};

/** A table of a result folder, one object for each line. */
export function table(report, name) {
  const [head, ...lines] = fs.readFileSync(path.join(path.dirname(report), name), 'utf8').trimEnd().split('\n').map((line) => line.split('\t'));
  return lines.map((cells) => Object.fromEntries(head.map((key, k) => [key, cells[k]])));
}

/** How large a report is, in MB. */
export const megabytes = (report) => fs.statSync(report).size / 1e6;
