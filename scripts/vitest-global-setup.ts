import { generateGuestRuntime } from './generate-guest-runtime.ts';

/** Tests run the sources as they are, so the generated guest runtime must match them. */
export default generateGuestRuntime;
