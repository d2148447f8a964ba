// Draws what a soak has sampled: soak-<database>.jsonl of a folder, bench when none is named, become soak.svg in it.
// Run: node bench/draw-soak.mjs [<folder>]; `npm run campaign:soak` makes the samples in bench, and draws them.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const own = fileURLToPath(new URL(".", import.meta.url));
const folder = process.argv[2] ?? own;
const databases = ["PGlite", "PostgreSQL"].filter((name) => existsSync(join(folder, `soak-${name}.jsonl`)));
const size = { width: 400, height: 200, left: 60, top: 40, gap: 70 };

const sum = (rows) => Object.values(rows).reduce((all, one) => all + one, 0);
/** What is drawn, each with lines in one unit. */
const panels = [
  {
    title: "memory, MB",
    lines: [
      { name: "resident", of: ({ resident }) => resident / 1e6 },
      { name: "heap of the main thread", of: ({ heap }) => heap / 1e6 },
    ],
  },
  {
    title: "disk, MB",
    lines: [
      { name: "all of the database", of: ({ disk }) => disk / 1e6 },
      { name: "its log", of: ({ log }) => log / 1e6 },
    ],
  },
  {
    title: "rows of internal tables, thousands",
    lines: [{ name: "all", of: ({ rows }) => sum(rows) / 1e3 }],
    needs: ({ rows }) => sum(rows) > 0,
  },
];
const colours = ["#1f6feb", "#bf5af2"];

function samplesOf(name) {
  const lines = readFileSync(join(folder, `soak-${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** A round number that is not below another one. */
function roundUp(value) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((factor) => factor * unit).find((round) => round >= value);
}

const text = (x, y, content, more = "") =>
  `<text x="${x}" y="${y}" font-family="sans-serif" font-size="12" fill="#555" ${more}>${content}</text>`;

function drawPanel({ title, lines }, samples, [left, top]) {
  const longest = samples.at(-1).seconds;
  const most = roundUp(Math.max(...lines.flatMap(({ of }) => samples.map(of))));
  const x = (seconds) => (left + (seconds / longest) * size.width).toFixed(1);
  const y = (value) => (top + size.height - (value / most) * size.height).toFixed(1);
  const drawn = lines.map(({ name, of }, index) => {
    const points = samples.map((sample) => `${x(sample.seconds)},${y(of(sample))}`).join(" ");
    const label = text(left + 8, top + 16 + 16 * index, name, `style="fill:${colours[index]}"`);
    return `<polyline points="${points}" fill="none" stroke="${colours[index]}" stroke-width="2"/>${label}`;
  });
  const grid = [0, 0.5, 1].map((part) => {
    const at = y(part * most);
    return `<line x1="${left}" x2="${left + size.width}" y1="${at}" y2="${at}" stroke="#ddd"/>${text(left - 6, Number(at) + 4, part * most, 'text-anchor="end"')}`;
  });
  const minutes = [0, 0.5, 1].map((part) =>
    text(
      x(part * longest),
      top + size.height + 16,
      `${Math.round((part * longest) / 60)} min`,
      'text-anchor="middle"',
    ),
  );
  return [text(left, top - 10, title, 'style="fill:#222"'), ...grid, ...drawn, ...minutes].join("\n");
}

const columns = databases.map((name, column) => {
  const samples = samplesOf(name);
  const left = size.left + column * (size.width + size.gap);
  const shown = panels.filter(({ needs = () => true }) => needs(samples.at(-1)));
  const drawn = shown.map((panel, row) =>
    drawPanel(panel, samples, [left, size.top + 20 + row * (size.height + size.gap)]),
  );
  return [text(left, 24, name, 'style="fill:#222;font-size:16px"'), ...drawn].join("\n");
});
const width = size.left + databases.length * (size.width + size.gap);
const height = size.top + panels.length * (size.height + size.gap);
writeFileSync(
  join(folder, "soak.svg"),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>What a server takes of memory and disk while it serves</title>
<rect width="100%" height="100%" fill="white"/>
${columns.join("\n")}
</svg>
`,
);
