export { deserializeInSteps } from './decode-steps.ts';
