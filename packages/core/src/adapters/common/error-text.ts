/** What is known of an error that becomes one line of text. */
interface ErrorFacts {
  readonly name?: string | undefined;
  readonly message: string;
  readonly code?: string | number | undefined;
}

/** Name, message and code of an error in one line, as far as they say something. */
export function writeError({ name = 'Error', message, code }: ErrorFacts): string {
  const title = [name === 'Error' ? '' : name, message].filter((part) => part !== '').join(': ');
  // Never empty: there are frameworks that would take that for success.
  const text = title === '' ? name : title;
  return code === undefined || code === name ? text : `${text} (code ${code})`;
}
