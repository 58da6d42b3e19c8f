import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ElicitResult, Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** The protocols before 2026, and the one since. */
type Era = 'legacy' | 'modern';

export interface ClientSetup {
  readonly era?: Era;
  /** Answers questions; without it, the client cannot be asked. */
  readonly answer?: (message: string) => ElicitResult | Promise<ElicitResult>;
}

export const CLI = 'packages/core/src/cli/bin.ts';
export const MODULE = 'tests/fixtures/mcp-tools.ts';

/** A real client, connected. */
export async function connectMcp(
  transport: Transport,
  { era = 'modern', answer }: ClientSetup = {},
): Promise<Client> {
  const client = new Client(
    { name: 'tests', version: '1.0.0' },
    {
      capabilities: answer === undefined ? {} : { elicitation: {} },
      versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
    },
  );
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message));
  }
  await client.connect(transport);
  return client;
}

/** `glovebox serve --mcp stdio` in a process of its own. */
export function serveProcess(flags: readonly string[] = []): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [
      '--conditions=@glovebox/source',
      '--no-warnings',
      CLI,
      'serve',
      '--mcp',
      'stdio',
      '--module',
      MODULE,
      '--hosts',
      '1',
      ...flags,
    ],
    stderr: 'pipe',
  });
}

export function httpTransport(
  url: string,
  headers: Record<string, string> = {},
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

/** The text of a result. */
export function textOf(result: { readonly content: readonly unknown[] }): string {
  return result.content.map((block) => (block as { readonly text?: string }).text ?? '').join('\n');
}
