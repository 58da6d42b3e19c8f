/** The parts of an error for its text. */
interface ErrorFacts {
  readonly name?: string | undefined;
  readonly message: string;
  readonly code?: string | number | undefined;
}

/** Name, message and code of an error as one line of text; uninformative parts are left out. */
export function errorText({ name = 'Error', message, code }: ErrorFacts): string {
  const title = [name === 'Error' ? '' : name, message].filter((part) => part !== '').join(': ');
  // Never empty: some frameworks treat an empty error text as success.
  const text = title === '' ? name : title;
  return code === undefined || code === name ? text : `${text} (code ${code})`;
}
