import { GloveboxError } from '../../shared/errors.ts';

/** What the interfaces of the large model makers take as the name of a tool. */
const AGENT_NAME = /^[\w-]{1,64}$/;

/**
 * The name of a registry's tool for a model: underscores in place of dots.
 *
 * @throws {GloveboxError} `INVALID_NAME`: it is longer than models take.
 */
export function toAgentName(registryName: string): string {
  const name = registryName.replaceAll('.', '_');
  if (AGENT_NAME.test(name)) return name;
  const message = `The tool name ${registryName} is longer than the 64 characters that models take.`;
  throw new GloveboxError('INVALID_NAME', message, { path: 'tools' });
}

/** The name for a registry of a tool of a framework: `getWeather` becomes `get_weather`. */
export function toRegistryName(agentName: string): string {
  return agentName
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .toLowerCase()
    .replaceAll(/[^a-z\d_]/g, '_');
}
