import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

function isUnit({ moduleId }: TestSpecification): boolean {
  return moduleId.includes('/packages/');
}

/** Tests of single units come first: whoever waits sees results within seconds. */
export class UnitsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- It is the sequencer's own, of no array.
    const sorted = await super.sort(files);
    return [...sorted.filter(isUnit), ...sorted.filter((file) => !isUnit(file))];
  }
}
