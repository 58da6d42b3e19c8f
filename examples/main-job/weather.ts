import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One day of Seattle's weather. */
export interface Day {
  readonly date: Date;
  /** Millimetres of rain and snow. */
  readonly precipitation: number;
  /** Highest temperature in degrees Celsius. */
  readonly high: number;
  /** Lowest temperature in degrees Celsius. */
  readonly low: number;
  readonly weather: string;
}

/** The days of 2012 to 2015, from a table in the package vega-datasets. */
export function readWeather(): Day[] {
  const table = new URL('../data/seattle-weather.csv', import.meta.resolve('vega-datasets'));
  const [, ...lines] = readFileSync(fileURLToPath(table), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [date = '', precipitation, high, low, , weather = ''] = line.split(',');
    return {
      date: new Date(`${date}T00:00:00Z`),
      precipitation: Number(precipitation),
      high: Number(high),
      low: Number(low),
      weather,
    };
  });
}
