/** A process that makes isolates in a loop, and does nothing else: what the cores can do at most. */
import ivm from 'isolated-vm';

const forMs = Number(process.argv[2] ?? 1500);
const started = performance.now();
let done = 0;
while (performance.now() - started < forMs) {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  isolate.createContextSync().evalSync('1 + 1');
  isolate.dispose();
  done++;
}
process.stdout.write(String((done * 1000) / (performance.now() - started)));
