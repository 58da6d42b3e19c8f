#!/usr/bin/env node
// What an old Node can read: it has to say itself that it is too old.
const [major = 0] = process.versions.node.split('.').map(Number);
if (major >= 24) {
  const { main } = await import('./main.ts');
  await main();
} else {
  process.stderr.write(
    `glovebox needs Node 24 or later; this is ${process.version}. ` +
      'The npm package "node" brings one along: npm install node@26\n',
  );
  process.exitCode = 2;
}
