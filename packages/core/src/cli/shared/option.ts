import { InvalidArgumentError } from 'commander';

import { messageOf } from '../../shared/message-of.ts';

/** Wraps a parser so that commander reports its error message for an invalid option value. */
export function option(parse: (text: string) => number): (text: string) => number {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  };
}

/** Option parser for a whole number, 0 or more. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}
