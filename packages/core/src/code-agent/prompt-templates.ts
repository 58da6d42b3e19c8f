import { z } from 'zod';

import { DEFAULT_TEMPLATES } from './default-prompt-templates.ts';

/** The placeholders that each template may contain, written as `{{task}}`. */
const PLACEHOLDERS = {
  system: ['tools', 'managedAgents', 'instructions', 'maxObservationCharacters'],
  planning: {
    initialPlan: ['task', 'tools', 'managedAgents', 'remainingSteps'],
    updatePlanBefore: ['task'],
    updatePlanAfter: ['task', 'tools', 'managedAgents', 'remainingSteps'],
  },
  managedAgent: { task: ['name', 'task'] },
  finalAnswer: { before: ['task'], after: ['task'] },
} as const;

const PLACEHOLDER = /\{\{\s*(?<name>[\w.-]*)\s*\}\}/g;
/** Maximum length of a template, in characters. */
const MAX_TEMPLATE = 1024 * 1024;

function template(allowed: readonly string[], otherwise: string): z.ZodDefault<z.ZodString> {
  return z
    .string()
    .max(MAX_TEMPLATE, `must not have more than ${MAX_TEMPLATE} characters`)
    .superRefine((text, context) => {
      for (const { 0: placeholder, groups } of text.matchAll(PLACEHOLDER)) {
        if (allowed.includes(groups?.['name'] ?? '')) continue;
        const known = allowed.map((name) => `{{${name}}}`).join(', ');
        context.addIssue({
          code: 'custom',
          message: `has ${placeholder}, but allowed are only ${known}`,
        });
      }
    })
    .default(otherwise);
}

const { planning, managedAgent, finalAnswer } = PLACEHOLDERS;

/** Schema of prompts. Each prompt has a default. */
export const templatesSchema = z
  .strictObject({
    system: template(PLACEHOLDERS.system, DEFAULT_TEMPLATES.system),
    planning: z
      .strictObject({
        initialPlan: template(planning.initialPlan, DEFAULT_TEMPLATES.planning.initialPlan),
        updatePlanBefore: template(
          planning.updatePlanBefore,
          DEFAULT_TEMPLATES.planning.updatePlanBefore,
        ),
        updatePlanAfter: template(
          planning.updatePlanAfter,
          DEFAULT_TEMPLATES.planning.updatePlanAfter,
        ),
      })
      .prefault({}),
    managedAgent: z
      .strictObject({ task: template(managedAgent.task, DEFAULT_TEMPLATES.managedAgent.task) })
      .prefault({}),
    finalAnswer: z
      .strictObject({
        before: template(finalAnswer.before, DEFAULT_TEMPLATES.finalAnswer.before),
        after: template(finalAnswer.after, DEFAULT_TEMPLATES.finalAnswer.after),
      })
      .prefault({}),
  })
  .prefault({});

/** The prompts, with placeholders such as `{{task}}` for values that are known later. */
export interface PromptTemplates {
  /** The system prompt of action steps. */
  readonly system: string;
  readonly planning: {
    readonly initialPlan: string;
    /** Precedes the messages of the memory. */
    readonly updatePlanBefore: string;
    /** Follows the messages of the memory. */
    readonly updatePlanAfter: string;
  };
  /** The task of a managed agent, for a task from another agent. */
  readonly managedAgent: { readonly task: string };
  /** Precede and follow the messages of the memory when the steps are used up. */
  readonly finalAnswer: { readonly before: string; readonly after: string };
}

/** Prompts, all of them optional. */
export type PromptTemplatesInput = z.input<typeof templatesSchema>;

/** Replaces the placeholders in a template. Inserted values are not searched for placeholders. */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(PLACEHOLDER, (placeholder: string, name: string) =>
    String(values[name] ?? placeholder),
  );
}
