import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

import { codecs } from './codecs.ts';
import { measure } from './measure.ts';
import type { Measurement } from './measure.ts';
import { payloads } from './payloads.ts';
import type { Payload } from './payloads.ts';

const README = new URL('../../packages/serializer/README.md', import.meta.url);
const MARKERS = /(<!-- benchmark -->\n)[\s\S]*(<!-- \/benchmark -->)/;

/** Measures everything, prints a table for each payload, and puts the tables into the README. */
async function main(): Promise<void> {
  const machine = `${os.cpus()[0]?.model ?? 'unknown CPU'}, ${os.cpus().length} cores, load ${os.loadavg()[0]?.toFixed(1) ?? '?'}, Node ${process.versions.node}, V8 ${process.versions.v8}, ${new Date().toISOString().slice(0, 10)}`;
  const sections = [machine];
  process.stdout.write(`${machine}\n`);
  for (const payload of payloads) {
    const table = tableOf(payload, await measurementsOf(payload));
    process.stdout.write(`\n${table}\n`);
    sections.push(table);
  }
  const readme = readFileSync(README, 'utf8');
  writeFileSync(README, readme.replace(MARKERS, `$1\n${sections.join('\n\n')}\n\n$2`));
  process.stdout.write(`\nWritten to ${fileURLToPath(README)}\n`);
}

function measurementsOf({ name, isBinary }: Payload): Promise<Measurement[]> {
  const otherReference = isBinary ? 'JSON' : 'JSON + base64';
  const contenders = codecs.map((codec) => codec.name).filter((codec) => codec !== otherReference);
  return measure(contenders, name);
}

function tableOf(payload: Payload, [reference, ...others]: Measurement[]): string {
  const referenceMs = reference?.medianMs ?? Number.NaN;
  const rows = [reference, ...others]
    .filter((row) => row !== undefined)
    .map((row) => {
      const isMeasured = row.outcome !== 'throws';
      return [
        row.codec,
        isMeasured ? `${(referenceMs / row.medianMs).toFixed(2)}×` : '–',
        isMeasured ? formatTime(row.medianMs) : '–',
        isMeasured ? `±${(row.spread * 100).toFixed(0)} %` : '–',
        isMeasured ? String(row.count) : '–',
        row.bytes === undefined ? '–' : String(row.bytes),
        row.outcome,
      ];
    });
  const lines = [
    ['', 'ratio', 'round trip', 'spread', 'n', 'bytes', 'exact'],
    ['---', '--:', '--:', '--:', '--:', '--:', '---'],
    ...rows,
  ].map((cells) => `| ${cells.join(' | ')} |`);
  return `**${payload.name}**\n\n${lines.join('\n')}`;
}

function formatTime(ms: number): string {
  return ms < 0.1 ? `${(ms * 1000).toFixed(2)} µs` : `${ms.toFixed(3)} ms`;
}

await main();
