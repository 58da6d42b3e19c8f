import { z } from 'zod';

import { DEFAULT_TEMPLATES } from './default-prompt-templates.ts';

/** The placeholders that each template may hold, written as `{{task}}`. */
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
          message: `has ${placeholder}, which is none of ${known}`,
        });
      }
    })
    .default(otherwise);
}

const { planning, managedAgent, finalAnswer } = PLACEHOLDERS;

/** Schema of prompts, each of which has a default. */
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

/** What the model is told, with placeholders such as `{{task}}` for what is known later. */
export interface PromptTemplates {
  /** Begins every call but those that plan. */
  readonly system: string;
  readonly planning: {
    readonly initialPlan: string;
    /** Stand before and after the memory. */
    readonly updatePlanBefore: string;
    readonly updatePlanAfter: string;
  };
  /** How a task that comes from another agent is put. */
  readonly managedAgent: { readonly task: string };
  /** Stand before and after the memory when the steps are used up. */
  readonly finalAnswer: { readonly before: string; readonly after: string };
}

/** Prompts of which any may be left out. */
export type PromptTemplatesInput = z.input<typeof templatesSchema>;

/** Fills a template in. What is filled in is not looked through for placeholders. */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(PLACEHOLDER, (placeholder: string, name: string) =>
    String(values[name] ?? placeholder),
  );
}
