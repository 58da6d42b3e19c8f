import { renderValue } from '../../code-mode/render-outcome.ts';
import { plainText } from '../../shared/plain-text.ts';
import type { MemoryStep, ModelStep } from './agent-steps.ts';

/** Maximum length of an answer, in characters. */
const MAX_ANSWER = 100_000;

/** Steps as readable text. */
export function replayOf(steps: readonly MemoryStep[], detailed: boolean): string {
  return steps
    .map((step) => {
      const sections = sectionsOf(step, detailed).filter(([, text]) => text !== '');
      return [`== ${titleOf(step)}`, ...sections.map(sectionText)].join('\n');
    })
    .join('\n\n')
    .concat('\n');
}

type Section = readonly [title: string, text: string];

function titleOf(step: MemoryStep): string {
  switch (step.type) {
    case 'task':
      return 'Task';
    case 'planning':
      return `${step.isUpdate ? 'New plan' : 'Plan'} (${costOf(step)})`;
    case 'action':
      return `Step ${step.stepNumber} (${costOf(step)})`;
    case 'final':
      return step.reason === 'answered' ? 'Answer' : 'Answer when the steps were used up';
  }
}

function sectionsOf(step: MemoryStep, detailed: boolean): readonly Section[] {
  switch (step.type) {
    case 'task':
      return [
        ['', step.task],
        ['variables', step.variables.join(', ')],
      ];
    case 'planning':
      return [...(detailed ? inputOf(step) : []), ['', step.plan]];
    case 'action':
      return [
        ...(detailed ? inputOf(step) : []),
        ['output', detailed || step.code === undefined ? step.modelOutput : ''],
        ['code', step.code ?? ''],
        ['observation', step.observation],
      ];
    case 'final':
      return [['', renderValue(step.answer, MAX_ANSWER)]];
  }
}

function sectionText([title, text]: Section): string {
  const lines = plainText(text).trimEnd();
  return title === '' ? lines : `-- ${title}\n${lines}`;
}

function inputOf({ modelInput = [] }: ModelStep): readonly Section[] {
  return modelInput.map(({ role, content }) => [`input as ${role}`, content]);
}

function costOf({ durationMs, usage }: ModelStep): string {
  const { inputTokens, outputTokens } = usage;
  return `${(durationMs / 1000).toFixed(1)} s, ${inputTokens} + ${outputTokens} tokens`;
}
