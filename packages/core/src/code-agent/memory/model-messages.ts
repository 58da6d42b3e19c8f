import { fence } from '../../code-mode/fence.ts';
import type { AgentMessage, MemoryStep } from './agent-steps.ts';

/**
 * Which parts of a memory a model gets. `summary` leaves out plans and the text of models around
 * their code, so that the model does not copy an old plan.
 */
export type MemoryView = 'full' | 'summary';

/** A step as messages for a model. */
export function messagesOf(step: MemoryStep, view: MemoryView): AgentMessage[] {
  switch (step.type) {
    case 'task':
      return [{ role: 'user', content: taskText(step.task, step.variables) }];
    case 'planning':
      return view === 'summary'
        ? []
        : [
            { role: 'assistant', content: `What I know, and my plan:\n\n${step.plan}` },
            { role: 'user', content: 'Now execute this plan.' },
          ];
    case 'action': {
      const code = step.code === undefined ? '(no code)' : fence(step.code);
      // Providers refuse empty messages.
      const content =
        view === 'summary' || step.modelOutput.trim() === '' ? code : step.modelOutput;
      return [
        { role: 'assistant', content },
        { role: 'user', content: `Observation:\n${step.observation}` },
      ];
    }
    case 'final':
      return [];
  }
}

function taskText(task: string, variables: readonly string[]): string {
  const given =
    variables.length === 0 ? '' : `\n\nThese variables are defined: ${variables.join(', ')}.`;
  return `Task:\n${task}${given}`;
}
