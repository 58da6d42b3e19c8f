import { generateGuestRuntime } from './generate-guest-runtime.ts';

/** Tests run the current sources, so the generated guest runtime must be up to date. */
export default generateGuestRuntime;
