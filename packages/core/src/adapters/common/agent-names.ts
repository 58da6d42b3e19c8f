import { GloveboxError } from '../../shared/errors.ts';

/** Tool names that the APIs of the large model providers accept. */
const AGENT_NAME = /^[\w-]{1,64}$/;

/**
 * The name for models of a tool in a registry: dots become underscores.
 *
 * @throws {GloveboxError} `INVALID_NAME` if the name is too long for models.
 */
export function toAgentName(registryName: string): string {
  const name = registryName.replaceAll('.', '_');
  if (AGENT_NAME.test(name)) return name;
  const message = `The tool name ${registryName} is too long: models accept at most 64 characters.`;
  throw new GloveboxError('INVALID_NAME', message, { path: 'tools' });
}

/** The name for a registry of a framework's tool: `getWeather` becomes `get_weather`. */
export function toRegistryName(agentName: string): string {
  return agentName
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .toLowerCase()
    .replaceAll(/[^a-z\d_]/g, '_');
}
