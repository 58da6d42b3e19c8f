import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** Tests of single units come first: whoever waits sees results within seconds. */
export class UnitsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isUnit = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/packages/');
    return [...sorted.filter(isUnit), ...sorted.filter((file) => !isUnit(file))];
  }
}
