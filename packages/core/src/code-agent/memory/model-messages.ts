import { fence } from '../../code-mode/fence.ts';
import type { AgentMessage, MemoryStep } from './agent-steps.ts';

/**
 * How much of a memory a model is told. `summary` leaves out plans and what models said around
 * their code, so that a new plan is not a copy of an old one.
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
            { role: 'user', content: 'Now carry out this plan.' },
          ];
    case 'action': {
      const code = step.code === undefined ? '(no code)' : fence(step.code);
      // No provider takes an empty message.
      const said = view === 'summary' || step.modelOutput.trim() === '' ? code : step.modelOutput;
      return [
        { role: 'assistant', content: said },
        { role: 'user', content: `Observation:\n${step.observation}` },
      ];
    }
    case 'final':
      return [];
  }
}

function taskText(task: string, variables: readonly string[]): string {
  const given =
    variables.length === 0 ? '' : `\n\nThese variables are there: ${variables.join(', ')}.`;
  return `Task:\n${task}${given}`;
}
