import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

function isUnit({ moduleId }: TestSpecification): boolean {
  return moduleId.includes('/packages/');
}

/** Runs unit tests first, so that their results are visible within seconds. */
export class UnitsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- The method of the sequencer, not of an array.
    const sorted = await super.sort(files);
    return [...sorted.filter(isUnit), ...sorted.filter((file) => !isUnit(file))];
  }
}
