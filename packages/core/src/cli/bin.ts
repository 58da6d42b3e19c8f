#!/usr/bin/env node
// Uses only syntax that old Node versions parse, so that they print this message.
const [major = 0] = process.versions.node.split('.').map(Number);
if (major >= 24) {
  const { main } = await import('./main.ts');
  await main();
} else {
  process.stderr.write(
    `glovebox needs Node 24 or later; this is ${process.version}. ` +
      'The npm package "node" installs one: npm install node@26\n',
  );
  process.exitCode = 2;
}
